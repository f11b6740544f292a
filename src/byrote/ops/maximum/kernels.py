"""C kernels for MAXIMUM."""

from __future__ import annotations

from byrote.ir import Op
from byrote.ops.elementwise import Arithmetic, Kind, elementwise_kernels
from byrote.ops.maximum.op import Maximum


def _describe(op: Op) -> Arithmetic:
    assert isinstance(op, Maximum)
    return Arithmetic(Kind.MAXIMUM)


KERNELS = elementwise_kernels(Maximum, _describe)
