"""HARD_SWISH as TensorFlow Lite writes it."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType, quantize_multiplier
from byrote.ops.hard_swish.op import HardSwish
from byrote.ops.quantized import quotient
from byrote.ops.reading import OperatorView, Profile, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """The input is raised by 7 bits; its scale is compared with that of the output and with 3/32768."""
    x, output = view.input(0), view.output()
    x.require(DType.INT8)
    output.require(DType.INT8)
    if output.scale <= 0:
        raise Unreadable(f"the output has scale {output.scale:g}, it has to be positive", "calibrate the model again")
    single = view.profile is Profile.LITERT
    to_output = _short(quotient((1 / 128, x.scale), output.scale, single=single))
    to_reluish = _short(quotient((1 / 128, x.scale), float(np.float32(3 / 32768)), single=single))
    if to_output[1] > 0 or to_output[1] < -31 or abs(to_reluish[1]) > 20:
        raise Unreadable(f"input scale {x.scale:g} and output scale {output.scale:g} are too far apart")
    return Reading(HardSwish(output.quant, x.zero_point, to_output, to_reluish), (x,))


def _short(real: float) -> tuple[int, int]:
    """16-bit multiplier and exponent."""
    multiplier, exponent = quantize_multiplier(real)
    return min((multiplier + (1 << 15)) >> 16, (1 << 15) - 1), exponent
