"""SHAPE as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.reading import OperatorView, Reading
from byrote.ops.shape.op import Shape


def read(view: OperatorView) -> Reading:
    """The shape that the file declares."""
    view.output().require(DType.INT32, DType.INT64)
    return Reading(Shape(view.input(0).type.shape, view.output().type.dtype), ())
