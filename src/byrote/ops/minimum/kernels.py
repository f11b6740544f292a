"""C kernels for MINIMUM."""

from __future__ import annotations

from byrote.ir import Op
from byrote.ops.elementwise import Arithmetic, Kind, elementwise_kernels
from byrote.ops.minimum.op import Minimum


def _describe(op: Op) -> Arithmetic:
    assert isinstance(op, Minimum)
    return Arithmetic(Kind.MINIMUM)


KERNELS = elementwise_kernels(Minimum, _describe)
