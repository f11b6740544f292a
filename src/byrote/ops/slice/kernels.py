"""C kernels for slices."""

from __future__ import annotations

from itertools import pairwise

from byrote.kernel import Kernel, Lowered, NodeView
from byrote.ops.broadcast import strides_in
from byrote.ops.movement import Moves, gather_kernel
from byrote.ops.slice.op import Slice


def _op(view: NodeView) -> Slice:
    assert isinstance(view.op, Slice)
    return view.op


def _moves(view: NodeView) -> Moves:
    op, x = _op(view), view.input_type(0)
    strides = strides_in(x, x.shape)
    offset = sum(begin * stride for begin, stride in zip(op.begin, strides, strict=True))
    return Moves(offset, op.size, tuple(step * stride for step, stride in zip(op.step, strides, strict=True)))


def _row_step(view: NodeView) -> int | None:
    """Input rows from one output row to the next, if it is the same everywhere."""
    indices = _op(view).row_indices(view.input_type(0))
    if indices is None:
        return None
    steps = {b - a for a, b in pairwise(indices)} or {1}
    step = next(iter(steps))
    return step if len(steps) == 1 and step > 0 else None


def _rejects_rows(view: NodeView) -> str | None:
    return None if _row_step(view) is not None else "output rows are not evenly spaced rows of the input"


def _lower_rows(view: NodeView) -> Lowered:
    op, x = _op(view), view.input_type(0)
    inner = 2 if len(x.shape) >= 4 else min(1, len(x.shape))
    moves = _moves(view)
    first = len(x.shape) - inner
    strides = strides_in(x, x.shape)
    offset = sum(op.begin[axis] * strides[axis] for axis in range(first, len(x.shape)))
    packed = Moves(offset, moves.sizes[first:], moves.steps[first:]).merged(x.dtype.size)
    sizes, steps = (1, 1, *packed.sizes), (0, 0, *packed.steps)
    run = sizes[-1] if steps[-1] == 1 else 1
    if steps[-1] == 1:
        sizes, steps = (1, *sizes[:-1]), (0, *steps[:-1])
    fields = (
        ("row", x.row_size),
        ("row_step", _row_step(view) or 1),
        ("offset", packed.offset),
        ("run", run),
        ("size_a", sizes[-2]),
        ("step_a", steps[-2]),
        ("size_b", sizes[-1]),
        ("step_b", steps[-1]),
    )
    return Lowered("slice_rows", fields, ())


KERNELS = (
    Kernel("slice_rows", Slice, "ops/slice/kernels/slice_rows.h", _lower_rows, rejects=_rejects_rows),
    gather_kernel(Slice, _moves),
)
