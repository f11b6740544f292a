"""Reading MINIMUM and MAXIMUM, which do not rescale."""

from __future__ import annotations

from byrote.ir import Quant
from byrote.ops.elementwise.sums import read_operands
from byrote.ops.reading import OperatorView, Unreadable


def read_extreme(view: OperatorView) -> Quant:
    """The quantisation that both operands and the result have."""
    a, b, output = read_operands(view)
    for operand in (a, b):
        if (operand.scale, operand.zero_point) != (output.scale, output.zero_point):
            raise Unreadable(
                f"operand {operand.name!r} has scale {operand.scale:g} and zero point {operand.zero_point}, "
                f"the output {output.scale:g} and {output.zero_point}; they have to be equal",
                "convert the model again; this operator does not rescale",
            )
    return output.quant
