"""TANH."""

from byrote.ops.operator import Operator
from byrote.ops.tanh.cases import cases
from byrote.ops.tanh.kernels import KERNELS
from byrote.ops.tanh.op import Tanh
from byrote.ops.tanh.read import read

OPERATOR = Operator(
    names=("TANH",),
    op=Tanh,
    read=read,
    kernels=KERNELS,
    summary="int8, output of scale 1/128",
    cases=cases,
)

__all__ = ["OPERATOR", "Tanh"]
