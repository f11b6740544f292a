"""GATHER as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.gather.op import Gather
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """Indices have to be constants within the axis."""
    kind = moved_type(view)
    indices = view.input(1)
    indices.require(DType.INT32, DType.INT64)
    axis = view.options.integer("Axis")
    if view.options.integer("BatchDims"):
        raise Unreadable("batch dimensions are not supported")
    if not -len(kind.shape) <= axis < len(kind.shape):
        raise Unreadable(f"axis {axis} is not an axis of {kind}")
    axis %= len(kind.shape)
    data = indices.constant("indices")
    if data.size and (data.min() < 0 or data.max() >= kind.shape[axis]):
        raise Unreadable(f"indices from {data.min()} to {data.max()} for an axis of {kind.shape[axis]}")
    return Reading(Gather(axis), (view.input(0), indices))
