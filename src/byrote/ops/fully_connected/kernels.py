"""C kernels for FULLY_CONNECTED."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType, Rounding
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops.fully_connected.dsp import DSP_KERNELS
from byrote.ops.fully_connected.op import FullyConnected, uneven_rows
from byrote.ops.fully_connected.work import MAP_WORK, WORK
from byrote.ops.packing import channel_table, interleave


def _tables(view: NodeView) -> tuple[Table, Table]:
    """Weights of four outputs interleaved; the input's zero point is folded into the bias."""
    op = view.op
    assert isinstance(op, FullyConnected)
    weights, bias = view.constant(1), view.constant(2)
    folded = bias.astype(np.int64) - op.input_zero * weights.astype(np.int64).sum(1)
    return (
        Table("weights", DType.INT8, interleave(weights[None], 4)),
        Table("channels", DType.INT32, channel_table(folded, op.requant, 1, 4)),
    )


def _common(view: NodeView) -> tuple[tuple[str, int], ...]:
    op = view.op
    assert isinstance(op, FullyConnected)
    return (
        ("outputs", view.constant(1).shape[0]),
        ("output_zero", op.output.zero_point),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
        ("single", int(op.requant.rounding is Rounding.SINGLE)),
    )


def _lower(view: NodeView) -> Lowered:
    x, out = view.input_type(0), view.output_type()
    outputs, depth = view.constant(1).shape
    fields = (
        ("row", x.row_size),
        ("in_rows", x.rows // out.rows),
        ("vectors", out.row_size // outputs),
        ("part", depth // max(1, x.rows // out.rows)),
        *_common(view),
    )
    return Lowered("fully_connected_s8", fields, _tables(view))


def _rejects_rows(view: NodeView) -> str | None:
    return uneven_rows(view.input_type(0), view.output_type())


def _lower_all(view: NodeView) -> Lowered:
    """All vectors side by side in one row."""
    x = view.input_type(0)
    depth = view.constant(1).shape[1]
    fields = (("row", x.size), ("in_rows", 1), ("vectors", x.elements // depth), ("part", depth), *_common(view))
    return Lowered("fully_connected_s8", fields, _tables(view))


def _rejects_map(view: NodeView) -> str | None:
    if view.output_type().rows == 1 and view.output_type().row_size == view.constant(1).shape[0]:
        return None
    return "the input is several vectors, this kernel sums one"


def _lower_map(view: NodeView) -> Lowered:
    x = view.input_type(0)
    outputs, depth = view.constant(1).shape
    fields = (("row", x.row_size), ("depth", depth), *_common(view))
    return Lowered("fully_connected_map_s8", fields, _tables(view), state=4 + 4 * (-(-outputs // 4) * 4))


KERNELS = (
    *DSP_KERNELS,
    Kernel(
        "fully_connected_s8",
        FullyConnected,
        "ops/fully_connected/kernels/fully_connected_s8.h",
        _lower,
        rejects=_rejects_rows,
        work=WORK,
    ),
    Kernel(
        "fully_connected_all_s8",
        FullyConnected,
        "ops/fully_connected/kernels/fully_connected_s8.h",
        _lower_all,
        in_place=InPlace.NEVER,
        streams=False,
        work=WORK,
    ),
    Kernel(
        "fully_connected_map_s8",
        FullyConnected,
        "ops/fully_connected/kernels/fully_connected_map_s8.h",
        _lower_map,
        rejects=_rejects_map,
        in_place=InPlace.ROWS,
        accumulates=True,
        work=MAP_WORK,
    ),
)
