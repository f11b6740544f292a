"""GATHER."""

from byrote.ops.gather.cases import cases
from byrote.ops.gather.op import Gather
from byrote.ops.gather.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("GATHER",),
    op=Gather,
    read=read,
    kernels=(),
    summary="constant indices: evenly spaced ones of any type, others of constants only",
    cases=cases,
)

__all__ = ["OPERATOR", "Gather"]
