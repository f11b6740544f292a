"""MINIMUM."""

from byrote.ops.minimum.cases import cases
from byrote.ops.minimum.kernels import KERNELS
from byrote.ops.minimum.op import Minimum
from byrote.ops.minimum.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("MINIMUM",),
    op=Minimum,
    read=read,
    kernels=KERNELS,
    summary="int8 of one quantisation, broadcasting, constants",
    cases=cases,
)

__all__ = ["OPERATOR", "Minimum"]
