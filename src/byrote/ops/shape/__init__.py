"""SHAPE."""

from byrote.ops.operator import Operator
from byrote.ops.shape.cases import cases
from byrote.ops.shape.op import Shape
from byrote.ops.shape.read import read

OPERATOR = Operator(
    names=("SHAPE",),
    op=Shape,
    read=read,
    kernels=(),
    summary="a constant: shapes are static",
    cases=cases,
)

__all__ = ["OPERATOR", "Shape"]
