"""MUL as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import Requant
from byrote.ops.elementwise.sums import read_operands
from byrote.ops.mul.op import Mul
from byrote.ops.quantized import activation_clamp, checked_unary, quotient
from byrote.ops.reading import OperatorView, Profile, Reading


def read(view: OperatorView) -> Reading:
    """The product is rescaled by s_a * s_b / s_out: a float64 expression in TFLM, a float32 one in LiteRT."""
    a, b, output = read_operands(view)
    factor = quotient((a.scale, b.scale), output.scale, single=view.profile is Profile.LITERT)
    op = Mul(
        output=output.quant,
        clamp=activation_clamp(view.options.integer("FusedActivationFunction"), output.quant),
        zeros=(a.zero_point, b.zero_point),
        requant=checked_unary(Requant.of([factor]), 255 * 255),
    )
    return Reading(op, (a, b))
