"""PRELU as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import Requant
from byrote.ops.elementwise.sums import read_operands
from byrote.ops.prelu.op import Prelu
from byrote.ops.quantized import checked_unary
from byrote.ops.reading import OperatorView, Reading


def read(view: OperatorView) -> Reading:
    """Factors s_x / s_out and s_x * s_alpha / s_out."""
    x, alpha, output = read_operands(view)
    op = Prelu(
        output=output.quant,
        clamp=(-128, 127),
        zeros=(x.zero_point, alpha.zero_point),
        above=checked_unary(Requant.of([x.scale / output.scale])),
        below=checked_unary(Requant.of([x.scale * alpha.scale / output.scale]), 255 * 255),
    )
    return Reading(op, (x, alpha))
