"""CONV_2D."""

from byrote.ops.conv2d.cases import cases
from byrote.ops.conv2d.kernels import KERNELS
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.conv2d.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("CONV_2D",),
    op=Conv2D,
    read=read,
    kernels=KERNELS,
    summary="int8, any kernel, stride, dilation, padding and groups, per-channel weights, fused clamp",
    cases=cases,
)

__all__ = ["OPERATOR", "Conv2D"]
