"""C kernels for MAX_POOL_2D."""

from __future__ import annotations

from byrote.kernel import InPlace, Kernel, Lowered, NodeView
from byrote.ops.max_pool_2d.op import MaxPool2D


def _lower(view: NodeView) -> Lowered:
    op, x, out = view.op, view.input_type(0), view.output_type()
    assert isinstance(op, MaxPool2D)
    fields = (
        ("in_width", x.shape[2]),
        ("out_width", out.shape[2]),
        ("channels", x.shape[3]),
        ("kernel_h", op.kernel[0]),
        ("kernel_w", op.kernel[1]),
        ("stride_h", op.stride[0]),
        ("stride_w", op.stride[1]),
        ("pad_left", op.padding[1][0]),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
    )
    return Lowered("max_pool_s8", fields, ())


def _rejects_map(view: NodeView) -> str | None:
    op = view.op
    assert isinstance(op, MaxPool2D)
    return None if op.covers(view.input_type(0)) else "the windows do not cover the whole input"


def _lower_map(view: NodeView) -> Lowered:
    op, x = view.op, view.input_type(0)
    assert isinstance(op, MaxPool2D)
    fields = (("width", x.shape[2]), ("channels", x.shape[3]), ("low", op.clamp[0]), ("high", op.clamp[1]))
    return Lowered("max_pool_map_s8", fields, (), state=x.shape[3])


KERNELS = (
    Kernel("max_pool_s8", MaxPool2D, "ops/max_pool_2d/kernels/max_pool_s8.h", _lower),
    Kernel(
        "max_pool_map_s8",
        MaxPool2D,
        "ops/max_pool_2d/kernels/max_pool_map_s8.h",
        _lower_map,
        rejects=_rejects_map,
        in_place=InPlace.ROWS,
        accumulates=True,
    ),
)
