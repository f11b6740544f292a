"""QUANTIZE."""

from byrote.ops.operator import Operator
from byrote.ops.quantize.cases import cases
from byrote.ops.quantize.kernels import KERNELS
from byrote.ops.quantize.op import Quantize, Rescale
from byrote.ops.quantize.read import read

OPERATOR = Operator(
    names=("QUANTIZE",),
    op=Quantize,
    read=read,
    kernels=KERNELS,
    summary="float32, int8 and uint8 to int8 and uint8",
    cases=cases,
)

__all__ = ["OPERATOR", "Quantize", "Rescale"]
