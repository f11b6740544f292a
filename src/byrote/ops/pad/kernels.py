"""C kernels for PAD."""

from __future__ import annotations

from byrote.ir import DType
from byrote.kernel import InPlace, Kernel, Lowered, NodeView
from byrote.ops.broadcast import strides_in
from byrote.ops.pad.op import Pad

AXES = 6


def _op(view: NodeView) -> Pad:
    assert isinstance(view.op, Pad)
    return view.op


def _rejects(view: NodeView) -> str | None:
    if view.input_type(0).dtype is not DType.INT8:
        return f"element type {view.input_type(0).dtype.value}, this kernel does int8"
    return None if _op(view).rows_shift(view.input_type(0)) is not None else "more than the axis of rows is padded"


def _lower(view: NodeView) -> Lowered:
    op, x = _op(view), view.input_type(0)
    inner = 2 if len(x.shape) >= 4 else 1
    shape = (1, *x.shape[-inner:])[-2:]
    padding = ((0, 0), *op.padding[-inner:])[-2:]
    fields = (
        ("left", padding[0][0]),
        ("width", shape[0]),
        ("right", padding[0][1]),
        ("before", padding[1][0]),
        ("channels", shape[1]),
        ("after", padding[1][1]),
        ("fill", op.fill),
    )
    return Lowered("pad_s8", fields, ())


def _rejects_any(view: NodeView) -> str | None:
    if view.input_type(0).dtype is not DType.INT8:
        return f"element type {view.input_type(0).dtype.value}, this kernel does int8"
    return None if len(view.input_type(0).shape) <= AXES else f"more than {AXES} axes"


def _lower_any(view: NodeView) -> Lowered:
    op, x, out = _op(view), view.input_type(0), view.output_type()
    steps = strides_in(out, out.shape)
    missing = AXES - len(x.shape)
    fields = (
        ("total", out.elements),
        ("offset", sum(before * step for (before, _), step in zip(op.padding, steps, strict=True))),
        ("size", (1,) * missing + x.shape),
        ("step", (0,) * missing + steps),
        ("fill", op.fill),
    )
    return Lowered("pad_any_s8", fields, ())


KERNELS = (
    Kernel("pad_s8", Pad, "ops/pad/kernels/pad_s8.h", _lower, rejects=_rejects),
    Kernel(
        "pad_any_s8",
        Pad,
        "ops/pad/kernels/pad_any_s8.h",
        _lower_any,
        rejects=_rejects_any,
        in_place=InPlace.NEVER,
        streams=False,
    ),
)
