"""ADD of two int8 tensors, fused clamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from byrote.ir.fixedpoint import Ints
from byrote.ops.elementwise.sums import Sum


@dataclass(frozen=True)
class Add(Sum):
    """Inputs: a and b int8."""

    name: ClassVar[str] = "ADD"

    def operands(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        return self.scaled(a, b)
