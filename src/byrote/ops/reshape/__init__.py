"""RESHAPE, SQUEEZE and EXPAND_DIMS: the same bytes under another shape."""

from byrote.ops.operator import Operator
from byrote.ops.reshape.cases import cases
from byrote.ops.reshape.op import Reshape
from byrote.ops.reshape.read import read

OPERATOR = Operator(
    names=("RESHAPE", "SQUEEZE", "EXPAND_DIMS"),
    op=Reshape,
    read=read,
    kernels=(),
    summary="any type; never costs anything",
    cases=cases,
)

__all__ = ["OPERATOR", "Reshape"]
