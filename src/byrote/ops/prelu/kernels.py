"""C kernels for PRELU."""

from __future__ import annotations

from byrote.ir import Op
from byrote.ops.elementwise import Arithmetic, Kind, elementwise_kernels
from byrote.ops.prelu.op import Prelu


def _describe(op: Op) -> Arithmetic:
    assert isinstance(op, Prelu)
    return Arithmetic(Kind.PRELU, *op.zeros, op.above.channel(0), op.below.channel(0))


KERNELS = elementwise_kernels(Prelu, _describe)
