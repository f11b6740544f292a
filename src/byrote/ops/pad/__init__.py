"""PAD and PADV2."""

from byrote.ops.operator import Operator
from byrote.ops.pad.cases import cases
from byrote.ops.pad.kernels import KERNELS
from byrote.ops.pad.op import Pad
from byrote.ops.pad.read import read

OPERATOR = Operator(
    names=("PAD", "PADV2"),
    op=Pad,
    read=read,
    kernels=KERNELS,
    summary="int8, any axes, constant amounts and value",
    cases=cases,
)

__all__ = ["OPERATOR", "Pad"]
