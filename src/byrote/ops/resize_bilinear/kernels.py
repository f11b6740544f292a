"""C kernels for RESIZE_BILINEAR."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops.resize_bilinear.op import ResizeBilinear


def _lower(view: NodeView) -> Lowered:
    op, x = view.op, view.input_type(0)
    assert isinstance(op, ResizeBilinear)
    fields = (("height", len(op.rows)), ("width", len(op.columns)), ("row", x.row_size), ("channels", x.shape[3]))
    places = [(before, before + bool(weight), weight) for before, weight in (*op.rows, *op.columns)]
    table = Table("places", DType.INT16, np.asarray(places, np.int16).reshape(-1))
    return Lowered("resize_bilinear_s8", fields, (table,))


def _cost(view: NodeView, rows: int) -> int:
    """Four products per element; four weights per pixel."""
    out = view.output_type()
    return (18 * out.row_size + 24 * out.shape[2] + 16) * rows


KERNELS = (
    Kernel(
        "resize_bilinear_s8",
        ResizeBilinear,
        "ops/resize_bilinear/kernels/resize_bilinear_s8.h",
        _lower,
        cost=_cost,
        in_place=InPlace.NEVER,
        streams=False,
    ),
)
