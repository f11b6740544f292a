"""C kernels for MUL."""

from __future__ import annotations

from byrote.ir import Op
from byrote.ops.elementwise import Arithmetic, Kind, elementwise_kernels
from byrote.ops.mul.op import Mul


def _describe(op: Op) -> Arithmetic:
    assert isinstance(op, Mul)
    return Arithmetic(Kind.MUL, *op.zeros, out=op.requant.channel(0))


KERNELS = elementwise_kernels(Mul, _describe)
