"""CONCATENATION and PACK."""

from byrote.ops.concatenation.cases import cases
from byrote.ops.concatenation.kernels import KERNELS
from byrote.ops.concatenation.op import Concatenation
from byrote.ops.concatenation.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("CONCATENATION", "PACK"),
    op=Concatenation,
    read=read,
    kernels=KERNELS,
    summary="any type, two to eight inputs of one quantisation, any axis",
    cases=cases,
)

__all__ = ["OPERATOR", "Concatenation"]
