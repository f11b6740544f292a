"""PRELU, int8: x where it is not negative, alpha * x elsewhere; alpha is a tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Requant, requantize
from byrote.ir.fixedpoint import Ints
from byrote.ops.elementwise.op import Elementwise


@dataclass(frozen=True)
class Prelu(Elementwise):
    """Inputs: x and alpha int8; `zeros` belong to them."""

    name: ClassVar[str] = "PRELU"

    zeros: tuple[int, int]
    above: Requant
    below: Requant

    def combine(self, a: Ints, b: Ints) -> Ints:
        x, slope = np.broadcast_arrays(a - self.zeros[0], b - self.zeros[1])
        value = np.where(x >= 0, requantize(x, self.above), requantize(x * slope, self.below))
        return value + self.output.zero_point
