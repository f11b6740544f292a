"""C kernels for SUB."""

from __future__ import annotations

from byrote.ir import Op
from byrote.ops.elementwise import Arithmetic, Kind, elementwise_kernels
from byrote.ops.elementwise.sum_dsp import sum_dsp
from byrote.ops.elementwise.sum_tables import sum_tables
from byrote.ops.sub.op import Sub


def _describe(op: Op) -> Arithmetic:
    assert isinstance(op, Sub)
    a, b = op.requants
    return Arithmetic(Kind.SUB, *op.zeros, a.channel(0), b.channel(0), op.result.channel(0))


KERNELS = (sum_dsp(Sub), sum_tables(Sub), *elementwise_kernels(Sub, _describe))
