"""SOFTMAX over the last axis, int8: fixed-point exponentials and one reciprocal per vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, Quant, TensorType
from byrote.ir.fixedpoint import Ints, doubling_high_mul, rounding_shift
from byrote.ir.op import Array
from byrote.ops.gemmlowp import exp_on_negative_values, one_over_one_plus

INTEGER_BITS = 5
"""Of the scaled difference to the largest element."""

SUM_INTEGER_BITS = 12


@dataclass(frozen=True)
class Softmax(Op):
    """Input x int8 of any shape.

    A difference d = x - max becomes d * 2^shift * multiplier / 2^31 with 26 fractional bits.
    Differences below `least` give probability 0.
    """

    name: ClassVar[str] = "SOFTMAX"

    multiplier: int
    shift: int
    least: int
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if not x.shape or not x.elements:
            raise ValueError(f"SOFTMAX needs a last axis, got {x}")
        return (TensorType(DType.INT8, x.shape, self.output),)

    def exponentials(self) -> Ints:
        """exp of the differences 0, -1, ..., -255 with 31 fractional bits; 0 from the first that is below `least`."""
        difference = -np.arange(256, dtype=np.int64)
        taken = np.maximum(difference, self.least)
        scaled = doubling_high_mul(taken << self.shift, np.int64(self.multiplier))
        return np.where(difference >= self.least, exp_on_negative_values(scaled, INTEGER_BITS), 0)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64)
        raised = self.exponentials()[x.max(axis=-1, keepdims=True) - x]
        total = rounding_shift(raised, np.int64(SUM_INTEGER_BITS)).sum(axis=-1, keepdims=True)
        headroom = 32 - np.frexp(total.astype(np.float64))[1].astype(np.int64)  # leading zeros
        reciprocal = one_over_one_plus((total << headroom) - (1 << 31))
        product = doubling_high_mul(reciprocal, raised)
        result = rounding_shift(product, SUM_INTEGER_BITS - headroom + 31 - 8) - 128
        return (np.minimum(np.maximum(result, -128), 127).astype(np.int8),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del outputs
        return ((Access.identity(inputs[0].rows),),)
