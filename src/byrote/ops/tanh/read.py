"""TANH as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ops.reading import OperatorView, Reading
from byrote.ops.sigmoid import read_sigmoid
from byrote.ops.tanh.op import Tanh


def read(view: OperatorView) -> Reading:
    """Attributes with explicit scaling."""
    s = read_sigmoid(view, 1 / 128, 0)
    return Reading(Tanh(s.output, s.input_zero, s.requant, s.radius, s.scale), (view.input(0),))
