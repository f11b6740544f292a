"""DEQUANTIZE."""

from byrote.ops.dequantize.cases import cases
from byrote.ops.dequantize.kernels import KERNELS
from byrote.ops.dequantize.op import Dequantize
from byrote.ops.dequantize.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("DEQUANTIZE",),
    op=Dequantize,
    read=read,
    kernels=KERNELS,
    summary="int8 and uint8 to float32",
    cases=cases,
)

__all__ = ["OPERATOR", "Dequantize"]
