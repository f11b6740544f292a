"""MINIMUM as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ops.elementwise.extremes import read_extreme
from byrote.ops.minimum.op import Minimum
from byrote.ops.reading import OperatorView, Reading


def read(view: OperatorView) -> Reading:
    """Operands and result of one quantisation."""
    return Reading(Minimum(read_extreme(view), (-128, 127)), (view.input(0), view.input(1)))
