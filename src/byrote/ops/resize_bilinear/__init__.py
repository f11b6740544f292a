"""RESIZE_BILINEAR."""

from byrote.ops.operator import Operator
from byrote.ops.resize_bilinear.cases import cases
from byrote.ops.resize_bilinear.kernels import KERNELS
from byrote.ops.resize_bilinear.op import ResizeBilinear
from byrote.ops.resize_bilinear.read import read

OPERATOR = Operator(
    names=("RESIZE_BILINEAR",),
    op=ResizeBilinear,
    read=read,
    kernels=KERNELS,
    summary="int8, constant size, aligned corners or half pixel centers",
    cases=cases,
)

__all__ = ["OPERATOR", "ResizeBilinear"]
