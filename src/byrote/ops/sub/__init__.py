"""SUB."""

from byrote.ops.operator import Operator
from byrote.ops.sub.cases import cases
from byrote.ops.sub.kernels import KERNELS
from byrote.ops.sub.op import Sub
from byrote.ops.sub.read import read

OPERATOR = Operator(
    names=("SUB",),
    op=Sub,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations, broadcasting, constants, fused clamp",
    cases=cases,
)

__all__ = ["OPERATOR", "Sub"]
