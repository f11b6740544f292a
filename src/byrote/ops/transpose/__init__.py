"""TRANSPOSE."""

from byrote.ops.operator import Operator
from byrote.ops.transpose.cases import cases
from byrote.ops.transpose.kernels import KERNELS
from byrote.ops.transpose.op import Transpose
from byrote.ops.transpose.read import read

OPERATOR = Operator(
    names=("TRANSPOSE",),
    op=Transpose,
    read=read,
    kernels=KERNELS,
    summary="any type, constant permutation; free if no axis longer than 1 changes places",
    cases=cases,
)

__all__ = ["OPERATOR", "Transpose"]
