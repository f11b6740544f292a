"""SUB of two int8 tensors, fused clamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from byrote.ir.fixedpoint import Ints
from byrote.ops.elementwise.sums import Sum


@dataclass(frozen=True)
class Sub(Sum):
    """Inputs: a and b int8."""

    name: ClassVar[str] = "SUB"

    def operands(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        p, q = self.scaled(a, b)
        return p, -q
