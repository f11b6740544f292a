"""ABS."""

from byrote.ops.abs.cases import cases
from byrote.ops.abs.kernels import KERNELS
from byrote.ops.abs.op import Abs
from byrote.ops.abs.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("ABS",),
    op=Abs,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations",
    cases=cases,
)

__all__ = ["OPERATOR", "Abs"]
