"""LOGISTIC as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ops.logistic.op import Logistic
from byrote.ops.reading import OperatorView, Reading
from byrote.ops.sigmoid import read_sigmoid


def read(view: OperatorView) -> Reading:
    """Attributes with explicit scaling."""
    s = read_sigmoid(view, 1 / 256, -128)
    return Reading(Logistic(s.output, s.input_zero, s.requant, s.radius, s.scale), (view.input(0),))
