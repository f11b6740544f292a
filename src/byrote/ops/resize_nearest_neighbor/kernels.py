"""C kernels for RESIZE_NEAREST_NEIGHBOR."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops.resize_nearest_neighbor.op import ResizeNearestNeighbor


def _lower(view: NodeView) -> Lowered:
    op, x = view.op, view.input_type(0)
    assert isinstance(op, ResizeNearestNeighbor)
    fields = (("height", len(op.rows)), ("width", len(op.columns)), ("row", x.row_size), ("channels", x.shape[3]))
    places = np.asarray((*op.rows, *op.columns), np.int16)
    return Lowered("resize_nearest_s8", fields, (Table("places", DType.INT16, places),))


KERNELS = (
    Kernel(
        "resize_nearest_s8",
        ResizeNearestNeighbor,
        "ops/resize_nearest_neighbor/kernels/resize_nearest_s8.h",
        _lower,
        in_place=InPlace.NEVER,
        streams=False,
    ),
)
