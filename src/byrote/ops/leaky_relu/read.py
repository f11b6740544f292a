"""LEAKY_RELU as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType, Requant
from byrote.ops.leaky_relu.op import LeakyRelu
from byrote.ops.quantized import checked_unary, quotient
from byrote.ops.reading import OperatorView, Profile, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """Factors s_in / s_out and s_in * alpha / s_out."""
    x, output, alpha = view.input(0), view.output(), view.options.real("Alpha")
    x.require(DType.INT8)
    output.require(DType.INT8)
    if not alpha >= 0 or output.scale <= 0:
        raise Unreadable(f"slope {alpha:g} and output scale {output.scale:g}: a slope of at least 0 is supported")
    single = view.profile is Profile.LITERT
    above = checked_unary(Requant.of([quotient((x.scale,), output.scale, single=single)]))
    below = checked_unary(Requant.of([quotient((x.scale, alpha), output.scale, single=single)]))
    return Reading(LeakyRelu(output.quant, x.zero_point, above, below), (x,))
