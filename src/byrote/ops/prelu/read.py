"""PRELU as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import Requant
from byrote.ops.elementwise.sums import read_operands
from byrote.ops.prelu.op import Prelu
from byrote.ops.quantized import checked_unary, quotient
from byrote.ops.reading import OperatorView, Profile, Reading


def read(view: OperatorView) -> Reading:
    """Factors s_x / s_out and s_x * s_alpha / s_out."""
    x, alpha, output = read_operands(view)
    single = view.profile is Profile.LITERT
    op = Prelu(
        output=output.quant,
        clamp=(-128, 127),
        zeros=(x.zero_point, alpha.zero_point),
        above=checked_unary(Requant.of([quotient((x.scale,), output.scale, single=single)])),
        below=checked_unary(Requant.of([quotient((x.scale, alpha.scale), output.scale, single=single)]), 255 * 255),
    )
    return Reading(op, (x, alpha))
