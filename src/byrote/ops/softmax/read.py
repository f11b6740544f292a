"""SOFTMAX as TensorFlow Lite writes it."""

from __future__ import annotations

import math

from byrote.ir import DType, quantize_multiplier
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.softmax.op import INTEGER_BITS, Softmax

LARGEST = 1 << 11
"""Elements of a vector: their sum has 12 integer bits."""


def read(view: OperatorView) -> Reading:
    """The scale of differences is beta * scale * 2^26, limited to 31 bits."""
    x, output = view.input(0), view.output()
    x.require(DType.INT8)
    output.require(DType.INT8)
    if output.scale != 1 / 256 or output.zero_point != -128:
        raise Unreadable(
            f"the output has scale {output.scale:g} and zero point {output.zero_point}, SOFTMAX gives 1/256 and -128",
            "convert the model again",
        )
    if not x.type.shape or x.type.shape[-1] > LARGEST:
        raise Unreadable(f"{x.type}: vectors of more than {LARGEST} elements are not supported")
    real = min(view.options.real("Beta") * x.scale * 2 ** (31 - INTEGER_BITS), 2.0**31 - 1)
    if not real > 1:
        raise Unreadable(f"beta {view.options.real('Beta'):g} times the input scale {x.scale:g} is too small")
    multiplier, shift = quantize_multiplier(real)
    radius = ((1 << INTEGER_BITS) - 1) * 2.0 ** (31 - INTEGER_BITS - shift)
    return Reading(Softmax(multiplier, shift, -math.floor(radius), output.quant), (x,))
