"""C kernels for TRANSPOSE."""

from __future__ import annotations

from byrote.kernel import NodeView
from byrote.ops.broadcast import strides_in
from byrote.ops.movement import Moves, gather_kernel
from byrote.ops.transpose.op import Transpose


def _moves(view: NodeView) -> Moves:
    op, x = view.op, view.input_type(0)
    assert isinstance(op, Transpose)
    strides = strides_in(x, x.shape)
    return Moves(0, view.output_type().shape, tuple(strides[axis] for axis in op.permutation))


KERNELS = (gather_kernel(Transpose, _moves),)
