"""ADD."""

from byrote.ops.add.cases import cases
from byrote.ops.add.kernels import KERNELS
from byrote.ops.add.op import Add
from byrote.ops.add.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("ADD",),
    op=Add,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations, broadcasting, constants, fused clamp",
    cases=cases,
)

__all__ = ["OPERATOR", "Add"]
