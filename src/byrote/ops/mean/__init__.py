"""MEAN."""

from byrote.ops.mean.cases import cases
from byrote.ops.mean.kernels import KERNELS
from byrote.ops.mean.op import Mean
from byrote.ops.mean.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("MEAN",),
    op=Mean,
    read=read,
    kernels=KERNELS,
    summary="int8, any axes, any quantisations",
    cases=cases,
)

__all__ = ["OPERATOR", "Mean"]
