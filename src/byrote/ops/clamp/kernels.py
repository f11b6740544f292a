"""C kernels for RELU and its relatives."""

from __future__ import annotations

from byrote.kernel import InPlace, Kernel, Lowered, NodeView
from byrote.ops.clamp.op import Clamp
from byrote.ops.lookup import lookup_kernel


def _rejects(view: NodeView) -> str | None:
    op = view.op
    assert isinstance(op, Clamp)
    return "the operator rescales" if op.rescales(view.input_type(0)) else None


def _lower(view: NodeView) -> Lowered:
    op = view.op
    assert isinstance(op, Clamp)
    fields = (("row", view.input_type(0).row_size), ("low", op.clamp[0]), ("high", op.clamp[1]))
    return Lowered("clamp_s8", fields, ())


KERNELS = (
    Kernel(
        "clamp_s8",
        Clamp,
        "ops/clamp/kernels/clamp_s8.h",
        _lower,
        rejects=_rejects,
        in_place=InPlace.ELEMENTS,
    ),
    lookup_kernel(Clamp),
)
