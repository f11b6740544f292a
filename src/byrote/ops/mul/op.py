"""MUL of two int8 tensors, fused clamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from byrote.ir import Requant, requantize
from byrote.ir.fixedpoint import Ints
from byrote.ops.elementwise.op import Elementwise


@dataclass(frozen=True)
class Mul(Elementwise):
    """Inputs: a and b int8; `zeros` belong to them."""

    name: ClassVar[str] = "MUL"

    zeros: tuple[int, int]
    requant: Requant

    def combine(self, a: Ints, b: Ints) -> Ints:
        return requantize((a - self.zeros[0]) * (b - self.zeros[1]), self.requant) + self.output.zero_point
