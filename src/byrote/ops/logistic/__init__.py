"""LOGISTIC."""

from byrote.ops.logistic.cases import cases
from byrote.ops.logistic.kernels import KERNELS
from byrote.ops.logistic.op import Logistic
from byrote.ops.logistic.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("LOGISTIC",),
    op=Logistic,
    read=read,
    kernels=KERNELS,
    summary="int8, output of scale 1/256",
    cases=cases,
)

__all__ = ["OPERATOR", "Logistic"]
