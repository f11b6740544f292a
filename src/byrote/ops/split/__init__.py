"""SPLIT, SPLIT_V and UNPACK."""

from byrote.ops.operator import Operator
from byrote.ops.slice.op import Slice
from byrote.ops.split.cases import cases
from byrote.ops.split.read import read

OPERATOR = Operator(
    names=("SPLIT", "SPLIT_V", "UNPACK"),
    op=Slice,
    read=read,
    kernels=(),
    summary="any type; each output is a slice of its own",
    cases=cases,
)

__all__ = ["OPERATOR", "Slice"]
