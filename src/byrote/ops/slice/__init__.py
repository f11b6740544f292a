"""SLICE."""

from byrote.ops.operator import Operator
from byrote.ops.slice.cases import cases
from byrote.ops.slice.kernels import KERNELS
from byrote.ops.slice.op import Slice
from byrote.ops.slice.read import read

OPERATOR = Operator(
    names=("SLICE",),
    op=Slice,
    read=read,
    kernels=KERNELS,
    summary="any type, constant begin and size",
    cases=cases,
)

__all__ = ["OPERATOR", "Slice"]
