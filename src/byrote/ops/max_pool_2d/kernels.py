"""C kernels for MAX_POOL_2D."""

from __future__ import annotations

from byrote.kernel import InPlace, Kernel, Layout, Lowered, NodeView
from byrote.ops.max_pool_2d.op import MaxPool2D
from byrote.ops.pool_work import POOL_WORK, WORDS_WORK


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


def _lower_dsp(view: NodeView) -> Lowered:
    plain = dict(_lower(view).fields)
    op = view.op
    assert isinstance(op, MaxPool2D)
    names = ("in_width", "out_width", "channels", "kernel_h", "kernel_w", "stride_h", "stride_w", "pad_left")
    fields = (
        *((name, plain[name]) for name in names),
        ("signed_in", int(not view.inputs[0].unsigned)),
        ("signed_out", int(not view.outputs[0].unsigned)),
        ("clamps", int(op.clamp != (-128, 127))),
        ("low", op.clamp[0] + 128),
        ("high", op.clamp[1] + 128),
    )
    return Lowered("max_pool_dsp", fields, (), overread=-view.input_type(0).shape[3] % 4)


def _stores_dsp(view: NodeView) -> bool:
    x, out = view.inputs[0], view.outputs[0]
    return x.layout is Layout.HWC and out.layout is Layout.HWC and x.channels == out.channels


def _cost_dsp(view: NodeView, rows: int) -> int:
    op, out = view.op, view.output_type()
    assert isinstance(op, MaxPool2D)
    quads = -(-out.shape[3] // 4)
    return rows * out.shape[2] * (quads * (op.kernel[0] * (6 * op.kernel[1] + 6) + 8) + 20)


KERNELS = (
    Kernel(
        "max_pool_dsp",
        MaxPool2D,
        "ops/max_pool_2d/kernels/max_pool_dsp.h",
        _lower_dsp,
        needs=frozenset({"dsp"}),
        stores=_stores_dsp,
        cost=_cost_dsp,
        work=WORDS_WORK,
    ),
    Kernel("max_pool_s8", MaxPool2D, "ops/max_pool_2d/kernels/max_pool_s8.h", _lower, work=POOL_WORK),
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
