"""DEPTHWISE_CONV_2D."""

from byrote.ops.depthwise_conv2d.cases import cases
from byrote.ops.depthwise_conv2d.kernels import KERNELS
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D
from byrote.ops.depthwise_conv2d.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("DEPTHWISE_CONV_2D",),
    op=DepthwiseConv2D,
    read=read,
    kernels=KERNELS,
    summary="int8, any kernel, stride, dilation, padding and multiplier, per-channel weights, fused clamp",
    cases=cases,
)

__all__ = ["OPERATOR", "DepthwiseConv2D"]
