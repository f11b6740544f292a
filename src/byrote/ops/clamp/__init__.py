"""RELU, RELU6 and RELU_N1_TO_1."""

from byrote.ops.clamp.cases import cases
from byrote.ops.clamp.kernels import KERNELS
from byrote.ops.clamp.op import Clamp
from byrote.ops.clamp.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("RELU", "RELU6", "RELU_N1_TO_1"),
    op=Clamp,
    read=read,
    kernels=KERNELS,
    summary="int8, input and output of any quantisation (RELU6 in profile tflm: of one)",
    cases=cases,
)

__all__ = ["OPERATOR", "Clamp"]
