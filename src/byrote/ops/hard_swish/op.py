"""HARD_SWISH, int8: x * clamp(x + 3, 0, 6) / 6 in 16-bit fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir.fixedpoint import Ints, rounding_shift
from byrote.ir.op import Array
from byrote.ops.quantized import clipped
from byrote.ops.unary import Unary


@dataclass(frozen=True)
class HardSwish(Unary):
    """Input x int8 of any shape; (16-bit multiplier, exponent) towards the output scale and towards 3/32768."""

    name: ClassVar[str] = "HARD_SWISH"

    input_zero: int
    to_output: tuple[int, int]
    to_reluish: tuple[int, int]

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        raised = (inputs[0].astype(np.int64) - self.input_zero) * 128
        product = _rounded(raised, self.to_output[0])
        multiplier, exponent = self.to_reluish
        gate = _saturate(raised << max(0, exponent - 1))
        gate = _rounded(gate, multiplier)
        gate = _saturate(gate << (1 if exponent > 0 else 0))
        gate = rounding_shift(gate, np.int64(max(0, -exponent)))
        gate = (gate + (1 << 15)) >> 1  # -1..1 becomes 0..1
        both = gate * product
        high = np.where(both >= 0, both >> 15, -((-both) >> 15))
        value = rounding_shift(high, np.int64(-self.to_output[1])) + self.output.zero_point
        return (clipped(value, (-128, 127)),)


def _saturate(x: Ints) -> Ints:
    return np.minimum(np.maximum(x, -(1 << 15)), (1 << 15) - 1)


def _rounded(a: Ints, b: int) -> Ints:
    """a * b / 2^15 of 16-bit numbers, rounded, halves up in size, towards zero for negative ties."""
    product = a * b
    value = product + np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    return np.where(value >= 0, value >> 15, -((-value) >> 15))
