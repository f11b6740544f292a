"""STRIDED_SLICE."""

from byrote.ops.operator import Operator
from byrote.ops.slice.op import Slice
from byrote.ops.strided_slice.cases import cases
from byrote.ops.strided_slice.read import read

OPERATOR = Operator(
    names=("STRIDED_SLICE",),
    op=Slice,
    read=read,
    kernels=(),
    summary="any type, constant bounds, all masks",
    cases=cases,
)

__all__ = ["OPERATOR", "Slice"]
