"""MUL."""

from byrote.ops.mul.cases import cases
from byrote.ops.mul.kernels import KERNELS
from byrote.ops.mul.op import Mul
from byrote.ops.mul.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("MUL",),
    op=Mul,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations, broadcasting, constants, fused clamp",
    cases=cases,
)

__all__ = ["OPERATOR", "Mul"]
