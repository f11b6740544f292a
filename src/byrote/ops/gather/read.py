"""GATHER as TensorFlow Lite writes it."""

from __future__ import annotations

from itertools import pairwise

from byrote.ir import DType
from byrote.ops.gather.op import Gather
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.slice.op import Slice


def read(view: OperatorView) -> Reading:
    """Indices have to be constants within the axis; evenly spaced ones are a slice."""
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
    flat = [int(n) for n in data.reshape(-1)]
    step = flat[1] - flat[0] if len(flat) > 1 else 1
    if not flat or step == 0 or any(b - a != step for a, b in pairwise(flat)):
        return Reading(Gather(axis), (view.input(0), indices))
    begin = tuple(flat[0] if a == axis else 0 for a in range(len(kind.shape)))
    size = tuple(len(flat) if a == axis else n for a, n in enumerate(kind.shape))
    steps = tuple(step if a == axis else 1 for a in range(len(kind.shape)))
    shape = (*kind.shape[:axis], *indices.type.shape, *kind.shape[axis + 1 :])
    return Reading(Slice(begin, size, steps, shape), (view.input(0),))
