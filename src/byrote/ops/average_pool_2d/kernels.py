"""C kernels for AVERAGE_POOL_2D."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops import map_sums
from byrote.ops.average_pool_2d.op import AveragePool2D
from byrote.ops.pool_work import POOL_WORK
from byrote.ops.reciprocal import REACH, reciprocal
from byrote.ops.window import taps


def _op(view: NodeView) -> AveragePool2D:
    assert isinstance(view.op, AveragePool2D)
    return view.op


def _counts(view: NodeView, axis: int) -> tuple[int, int]:
    """Fewest and most window taps that lie inside, along one axis."""
    op, size = _op(view), view.input_type(0).shape[1 + axis]
    ones = np.ones((1, size, 1, 1), np.int64)
    counts = taps(ones, (op.kernel[axis], 1), (op.stride[axis], 1), (1, 1), (op.padding[axis], (0, 0))).sum(axis=3)
    return int(counts.min()), int(counts.max())


def _rejects_size(view: NodeView) -> str | None:
    count = _counts(view, 0)[1] * _counts(view, 1)[1]
    return None if 129 * count < REACH else f"{count} elements per window, supported are {REACH // 129}"


def _lower(view: NodeView) -> Lowered:
    """Reciprocals of all counts that occur: rows by columns of taps inside."""
    op, x, out = _op(view), view.input_type(0), view.output_type()
    (min_h, max_h), (min_w, max_w) = _counts(view, 0), _counts(view, 1)
    products = [h * w for h in range(min_h, max_h + 1) for w in range(min_w, max_w + 1)]
    table = np.asarray([reciprocal(count, 129 * count) for count in products], np.int32)
    fields = (
        ("in_width", x.shape[2]),
        ("out_width", out.shape[2]),
        ("channels", x.shape[3]),
        ("kernel_h", op.kernel[0]),
        ("kernel_w", op.kernel[1]),
        ("stride_h", op.stride[0]),
        ("stride_w", op.stride[1]),
        ("pad_left", op.padding[1][0]),
        ("min_h", min_h),
        ("min_w", min_w),
        ("counts_w", max_w - min_w + 1),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
    )
    return Lowered("average_pool_s8", fields, (Table("reciprocals", DType.INT32, table.reshape(-1)),))


def _rejects_map(view: NodeView) -> str | None:
    if not _op(view).covers(view.input_type(0)):
        return "the windows do not cover the whole input"
    return _rejects_size(view)


def _lower_map(view: NodeView) -> Lowered:
    op, x = _op(view), view.input_type(0)
    count = x.shape[1] * x.shape[2]
    fields = (("width", x.shape[2]), ("channels", x.shape[3]), ("low", op.clamp[0]), ("high", op.clamp[1]))
    table = np.asarray(reciprocal(count, 129 * count), np.int32)
    tables = (Table("reciprocals", DType.INT32, table),)
    return Lowered("average_pool_map_s8", fields, tables, state=4 * x.shape[3])


def _rejects_map_dsp(view: NodeView) -> str | None:
    return _rejects_map(view) or map_sums.rejects_map(view)


def _lower_map_dsp(view: NodeView) -> Lowered:
    op = _op(view)
    fields = (
        map_sums.map_fields(view, 0),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
        ("offset", map_sums.offset(view.outputs[0])),
    )
    tables = _lower_map(view).tables
    return Lowered(
        "average_pool_map_dsp", fields, tables, state=map_sums.map_state(view), overread=map_sums.map_overread(view)
    )


KERNELS = (
    Kernel(
        "average_pool_map_dsp",
        AveragePool2D,
        "ops/average_pool_2d/kernels/average_pool_map_dsp.h",
        _lower_map_dsp,
        rejects=_rejects_map_dsp,
        needs=frozenset({"dsp"}),
        stores=map_sums.stores_map,
        cost=map_sums.map_cost,
        in_place=InPlace.ROWS,
        accumulates=True,
    ),
    Kernel(
        "average_pool_s8",
        AveragePool2D,
        "ops/average_pool_2d/kernels/average_pool_s8.h",
        _lower,
        rejects=_rejects_size,
        work=POOL_WORK,
    ),
    Kernel(
        "average_pool_map_s8",
        AveragePool2D,
        "ops/average_pool_2d/kernels/average_pool_map_s8.h",
        _lower_map,
        rejects=_rejects_map,
        in_place=InPlace.ROWS,
        accumulates=True,
    ),
)
