"""Integer rescaling as TensorFlow Lite defines it, on int64 numpy arrays.

real = multiplier / 2^31 * 2^shift.  DOUBLE rounds twice (saturating rounding doubling high multiply, then a
rounding shift, halves away from zero); SINGLE rounds once, halves up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


class Rounding(Enum):
    """How a product is brought back to 8 bits; fixed at import by the numeric profile."""

    DOUBLE = "double"
    SINGLE = "single"


@dataclass(frozen=True)
class Requant:
    """Multiplication by real numbers in (0, 2^30): one for all channels, or one per channel of the last axis."""

    multipliers: tuple[int, ...]
    shifts: tuple[int, ...]
    rounding: Rounding = Rounding.DOUBLE

    def channel(self, index: int) -> tuple[int, int]:
        """(multiplier, shift) of a channel."""
        i = index if len(self.multipliers) > 1 else 0
        return self.multipliers[i], self.shifts[i]

    def in_order(self, order: Sequence[int]) -> Requant:
        """The same with channel order[i] at i."""
        if len(self.multipliers) == 1:
            return self
        return Requant(tuple(self.multipliers[i] for i in order), tuple(self.shifts[i] for i in order), self.rounding)

    @staticmethod
    def of(reals: Sequence[float], rounding: Rounding = Rounding.DOUBLE) -> Requant:
        pairs = [quantize_multiplier(real) for real in reals]
        return Requant(tuple(m for m, _ in pairs), tuple(s for _, s in pairs), rounding)


def quantize_multiplier(real: float) -> tuple[int, int]:
    """(multiplier, shift) of a non-negative real: 31-bit mantissa and exponent, as TFLite's QuantizeMultiplier.

    Below 2^-32 the result is (0, 0).
    """
    if real == 0:
        return 0, 0
    mantissa, shift = math.frexp(real)
    multiplier = math.floor(mantissa * 2**31 + 0.5)
    if multiplier == 2**31:
        multiplier, shift = multiplier // 2, shift + 1
    return (0, 0) if shift < -31 else (multiplier, shift)


def requantize(acc: Ints, requant: Requant) -> Ints:
    """Rescale int32 accumulators (held in int64); channels lie on the last axis.  Saturates to int32."""
    single = len(requant.multipliers) == 1  # kept without an axis, so that scalars stay scalars
    multiplier: Ints = np.asarray(requant.multipliers[0] if single else requant.multipliers, np.int64)
    shift: Ints = np.asarray(requant.shifts[0] if single else requant.shifts, np.int64)
    left: Ints = np.maximum(shift, 0)
    right: Ints = np.maximum(-shift, 0)
    if requant.rounding is Rounding.SINGLE:
        total = right + 31 - left  # the whole shift; shift <= 30 keeps it positive
        return saturate32((acc * multiplier + (np.int64(1) << (total - 1))) >> total)
    high = doubling_high_mul(saturate32(acc * (np.int64(1) << left)), multiplier)
    return rounding_shift(high, right)


def saturate32(value: Ints) -> Ints:
    """Clamp to the range of int32."""
    return np.minimum(np.maximum(value, INT32_MIN), INT32_MAX)


def doubling_high_mul(a: Ints | np.int64, b: Ints | np.int64) -> Ints:
    """gemmlowp's SaturatingRoundingDoublingHighMul: (a*b + nudge) / 2^31, division towards zero."""
    product: Ints = np.asarray(a * b, np.int64)
    value = product + np.where(product >= 0, np.int64(1 << 30), np.int64(1 - (1 << 30)))
    return np.minimum(np.where(value >= 0, value >> 31, -((-value) >> 31)), INT32_MAX)


def rounding_shift(x: Ints, exponent: Ints | np.int64) -> Ints:
    """gemmlowp's RoundingDivideByPOT: halves round away from zero."""
    mask: Ints = (np.int64(1) << exponent) - 1
    remainder: Ints = x & mask
    return (x >> exponent) + (remainder > (mask >> 1) + (x < 0))
