"""C kernels for ADD."""

from __future__ import annotations

from byrote.ir import Op
from byrote.ops.add.op import Add
from byrote.ops.elementwise import Arithmetic, Kind, elementwise_kernels
from byrote.ops.elementwise.sum_dsp import sum_dsp
from byrote.ops.elementwise.sum_tables import sum_tables


def _describe(op: Op) -> Arithmetic:
    assert isinstance(op, Add)
    a, b = op.requants
    return Arithmetic(Kind.ADD, *op.zeros, a.channel(0), b.channel(0), op.result.channel(0))


KERNELS = (sum_dsp(Add), sum_tables(Add), *elementwise_kernels(Add, _describe))
