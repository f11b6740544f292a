"""MAXIMUM."""

from byrote.ops.maximum.cases import cases
from byrote.ops.maximum.kernels import KERNELS
from byrote.ops.maximum.op import Maximum
from byrote.ops.maximum.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("MAXIMUM",),
    op=Maximum,
    read=read,
    kernels=KERNELS,
    summary="int8 of one quantisation, broadcasting, constants",
    cases=cases,
)

__all__ = ["OPERATOR", "Maximum"]
