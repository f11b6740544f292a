"""MUL as TensorFlow Lite writes it."""

from __future__ import annotations

import numpy as np

from byrote.ir import Requant
from byrote.ops.elementwise.sums import read_operands
from byrote.ops.mul.op import Mul
from byrote.ops.quantized import activation_clamp, checked_unary
from byrote.ops.reading import OperatorView, Profile, Reading


def read(view: OperatorView) -> Reading:
    """The product is rescaled by s_a * s_b / s_out: a float64 expression in TFLM, a float32 one in LiteRT."""
    a, b, output = read_operands(view)
    factor = a.scale * b.scale / output.scale
    if view.profile is Profile.LITERT:
        factor = float(np.float32(a.scale) * np.float32(b.scale) / np.float32(output.scale))
    op = Mul(
        output=output.quant,
        clamp=activation_clamp(view.options.integer("FusedActivationFunction"), output.quant),
        zeros=(a.zero_point, b.zero_point),
        requant=checked_unary(Requant.of([factor]), 255 * 255),
    )
    return Reading(op, (a, b))
