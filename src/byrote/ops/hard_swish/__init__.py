"""HARD_SWISH."""

from byrote.ops.hard_swish.cases import cases
from byrote.ops.hard_swish.kernels import KERNELS
from byrote.ops.hard_swish.op import HardSwish
from byrote.ops.hard_swish.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("HARD_SWISH",),
    op=HardSwish,
    read=read,
    kernels=KERNELS,
    summary="int8, any quantisations",
    cases=cases,
)

__all__ = ["OPERATOR", "HardSwish"]
