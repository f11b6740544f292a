"""LEAKY_RELU."""

from byrote.ops.leaky_relu.cases import cases
from byrote.ops.leaky_relu.kernels import KERNELS
from byrote.ops.leaky_relu.op import LeakyRelu
from byrote.ops.leaky_relu.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("LEAKY_RELU",),
    op=LeakyRelu,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations, slope not negative",
    cases=cases,
)

__all__ = ["OPERATOR", "LeakyRelu"]
