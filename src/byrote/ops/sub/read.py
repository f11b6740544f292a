"""SUB as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ops.elementwise.sums import read_sum
from byrote.ops.reading import OperatorView, Reading
from byrote.ops.sub.op import Sub


def read(view: OperatorView) -> Reading:
    """Attributes with explicit rescaling."""
    s = read_sum(view)
    return Reading(Sub(s.output, s.clamp, s.zeros, s.requants, s.result), (view.input(0), view.input(1)))
