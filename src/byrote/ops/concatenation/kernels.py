"""C kernels for CONCATENATION and PACK."""

from __future__ import annotations

from functools import partial

from byrote.kernel import InPlace, Kernel, Lowered, NodeView
from byrote.ops.concatenation.op import Concatenation

HEADER = "ops/concatenation/kernels/concatenate.h"
LARGEST = 8


def _op(view: NodeView) -> Concatenation:
    assert isinstance(view.op, Concatenation)
    return view.op


def _count(view: NodeView, count: int) -> str | None:
    inputs = len(view.node.inputs)
    if inputs != count:
        return f"{inputs} inputs, this kernel takes {count}"
    constants = [index for index in range(inputs) if view.has_constant(index)]
    return f"input {constants[0]} is a constant" if constants else None


def _rejects_rows(count: int, view: NodeView) -> str | None:
    reason = _count(view, count)
    types = [view.input_type(index) for index in range(len(view.node.inputs))]
    if reason is None and not _op(view).by_rows(types, view.output_type()):
        return "rows of the output are not made of the same rows of all inputs"
    return reason


def _rejects_whole(count: int, view: NodeView) -> str | None:
    return _count(view, count)


def _lower(whole: bool, view: NodeView) -> Lowered:
    """`whole`: all rows as if they were one."""
    op, out = _op(view), view.output_type()
    rows = 1 if whole else out.rows
    types = [view.input_type(index) for index in range(len(view.node.inputs))]
    missing = LARGEST - len(types)
    fields = (
        ("outer", op.outer // rows),
        ("pixel", out.size // op.outer),
        ("row", out.size // rows),
        ("chunk", (*(x.size // op.outer for x in types), *(0,) * missing)),
        ("input_row", (*(x.size // rows for x in types), *(0,) * missing)),
        ("whole", int(whole)),
    )
    return Lowered("concatenate", fields, (), operands=tuple(range(len(types))))


KERNELS = tuple(
    kernel
    for count in range(2, LARGEST + 1)
    for kernel in (
        Kernel(
            f"concatenate{count}",
            Concatenation,
            HEADER,
            partial(_lower, False),
            partial(_rejects_rows, count),
        ),
        Kernel(
            f"concatenate{count}",
            Concatenation,
            HEADER,
            partial(_lower, True),
            partial(_rejects_whole, count),
            in_place=InPlace.NEVER,
            streams=False,
        ),
    )
)
