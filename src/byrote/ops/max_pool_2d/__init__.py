"""MAX_POOL_2D."""

from byrote.ops.max_pool_2d.cases import cases
from byrote.ops.max_pool_2d.kernels import KERNELS
from byrote.ops.max_pool_2d.op import MaxPool2D
from byrote.ops.max_pool_2d.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("MAX_POOL_2D",),
    op=MaxPool2D,
    read=read,
    kernels=KERNELS,
    summary="int8, any window, stride and padding, fused clamp; input and output of one quantisation",
    cases=cases,
)

__all__ = ["OPERATOR", "MaxPool2D"]
