"""RELU and its relatives: rescale, then clamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Requant, TensorType, requantize
from byrote.ir.op import Array
from byrote.ops.quantized import clipped
from byrote.ops.unary import Unary


@dataclass(frozen=True)
class Clamp(Unary):
    """Input x int8 of any shape."""

    name: ClassVar[str] = "RELU"

    input_zero: int
    requant: Requant
    clamp: tuple[int, int]

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        value = inputs[0].astype(np.int64) - self.input_zero
        return (clipped(requantize(value, self.requant) + self.output.zero_point, self.clamp),)

    def rescales(self, x: TensorType) -> bool:
        """Whether it does more than clamp."""
        del x
        return self.requant.channel(0) != (1 << 30, 1) or self.input_zero != self.output.zero_point
