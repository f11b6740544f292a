"""RESIZE_NEAREST_NEIGHBOR as TensorFlow Lite writes it."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.resize_nearest_neighbor.op import ResizeNearestNeighbor


def read(view: OperatorView) -> Reading:
    """The size is a constant; positions are computed in float32."""
    kind = moved_type(view)
    kind_shape = kind.shape
    view.input(0).require(DType.INT8)
    view.input(1).require(DType.INT32)
    size = [int(n) for n in view.input(1).constant("size").reshape(-1)]
    if len(kind_shape) != 4 or len(size) != 2 or min(size) < 1 or max(size) > 2**15:
        raise Unreadable(f"size {size} for {kind}, a height and a width for a tensor of rank 4 are supported")
    aligned, centers = view.options.flag("AlignCorners"), view.options.flag("HalfPixelCenters")
    rows = _positions(kind_shape[1], size[0], aligned, centers)
    columns = _positions(kind_shape[2], size[1], aligned, centers)
    return Reading(ResizeNearestNeighbor(rows, columns), (view.input(0),))


def _positions(size: int, target: int, aligned: bool, centers: bool) -> tuple[int, ...]:
    """Input position of each output position."""
    stretched = aligned and target > 1
    scale = np.float32(size - 1) / np.float32(target - 1) if stretched else np.float32(size) / np.float32(target)
    offset = np.float32(0.5 if centers else 0.0)
    places = (np.arange(target, dtype=np.float32) + offset) * scale
    whole = np.floor(places + np.float32(0.5)) if aligned else np.floor(places)
    return tuple(int(min(max(n, 0), size - 1)) for n in whole)
