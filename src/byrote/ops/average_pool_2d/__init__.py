"""AVERAGE_POOL_2D."""

from byrote.ops.average_pool_2d.cases import cases
from byrote.ops.average_pool_2d.kernels import KERNELS
from byrote.ops.average_pool_2d.op import AveragePool2D
from byrote.ops.average_pool_2d.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("AVERAGE_POOL_2D",),
    op=AveragePool2D,
    read=read,
    kernels=KERNELS,
    summary="int8, any window, stride and padding, fused clamp; input and output of one quantisation",
    cases=cases,
)

__all__ = ["OPERATOR", "AveragePool2D"]
