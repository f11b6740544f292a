"""SOFTMAX."""

from byrote.ops.operator import Operator
from byrote.ops.softmax.cases import cases
from byrote.ops.softmax.kernels import KERNELS
from byrote.ops.softmax.op import Softmax
from byrote.ops.softmax.read import read

OPERATOR = Operator(
    names=("SOFTMAX",),
    op=Softmax,
    read=read,
    kernels=KERNELS,
    summary="int8, over the last axis, any beta; one instruction path",
    cases=cases,
)

__all__ = ["OPERATOR", "Softmax"]
