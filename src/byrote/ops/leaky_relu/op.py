"""LEAKY_RELU, int8: x where it is not negative, alpha * x elsewhere, each with its own factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Requant, requantize
from byrote.ir.op import Array
from byrote.ops.quantized import clipped
from byrote.ops.unary import Unary


@dataclass(frozen=True)
class LeakyRelu(Unary):
    """Input x int8 of any shape; factors for x at or above zero, and below."""

    name: ClassVar[str] = "LEAKY_RELU"

    input_zero: int
    above: Requant
    below: Requant

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64) - self.input_zero
        value = np.where(x >= 0, requantize(x, self.above), requantize(x, self.below))
        return (clipped(value + self.output.zero_point, (-128, 127)),)
