"""PRELU."""

from byrote.ops.operator import Operator
from byrote.ops.prelu.cases import cases
from byrote.ops.prelu.kernels import KERNELS
from byrote.ops.prelu.op import Prelu
from byrote.ops.prelu.read import read

OPERATOR = Operator(
    names=("PRELU",),
    op=Prelu,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations, slopes not necessarily constant",
    cases=cases,
)

__all__ = ["OPERATOR", "Prelu"]
