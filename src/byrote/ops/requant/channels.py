"""What is to be requantised: reachable accumulators per channel, the reference, and its thresholds.

Results are seen unsigned, u = q + 128, so that 0..255 are all int8 values and a clamp to [0, 255] is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from byrote.ir import Requant, Rounding
from byrote.ir.fixedpoint import Ints, requantize

LEVELS = np.arange(1, 256, dtype=np.int64).reshape(-1, 1)
"""The results j > 0, one per row: arrays of thresholds are [255, channels]."""

_FAR = np.int64(1) << 62


@dataclass(frozen=True)
class Channels:
    """N channels.  `low`, `high`: [N] bounds of the accumulator, zero points and bias included.

    `zero_point` and `clamp` are those of the int8 output.
    """

    low: Ints
    high: Ints
    requant: Requant
    zero_point: int
    clamp: tuple[int, int]

    @property
    def size(self) -> int:
        return self.low.size

    @property
    def bounds(self) -> tuple[int, int]:
        """The clamp, seen unsigned."""
        return self.clamp[0] + 128, self.clamp[1] + 128

    @cached_property
    def multiplier(self) -> Ints:
        """[N]"""
        return np.broadcast_to(np.asarray(self.requant.multipliers, np.int64), self.low.shape)

    @cached_property
    def shift(self) -> Ints:
        """[N], positive to the left."""
        return np.broadcast_to(np.asarray(self.requant.shifts, np.int64), self.low.shape)

    def reference(self, acc: Ints) -> Ints:
        """Unsigned results of accumulators [..., N]: the definition of right."""
        low, high = self.bounds
        return np.minimum(np.maximum(requantize(acc, self.requant) + self.zero_point + 128, low), high)

    @cached_property
    def constant(self) -> npt.NDArray[np.bool_]:
        """[N]: one result whatever the input (a rescaling is monotone)."""
        return self.reference(self.low) == self.reference(self.high)

    @cached_property
    def saturates(self) -> npt.NDArray[np.bool_]:
        """[N]: some accumulator leaves 32 bits, or does so when the reference shifts it to the left."""
        left = np.maximum(self.shift, 0)
        largest = np.maximum(np.abs(self.low), np.abs(self.high))
        return largest >= np.int64(1) << (31 - left)

    @cached_property
    def thresholds(self) -> Ints:
        """[255, N]: the smallest integer t with reference(t) >= j, for j = 1..255, the clamp ignored.

        In closed form.  Two roundings: the second reaches r from x = r * 2^n - 2^(n-1) on, one later for r <= 0 (halves
        away from zero), the first reaches x from acc * m = x * 2^31 - 2^30 on.  One rounding: r is reached from
        acc * m = (2 r - 1) * 2^(n + 30) on.  Values beyond 32 bits stand for "not reachable".
        """
        wanted = LEVELS - (self.zero_point + 128)
        right, left = np.maximum(-self.shift, 0), np.maximum(self.shift, 0)
        multiplier = np.maximum(self.multiplier, 1)
        if self.requant.rounding is Rounding.SINGLE:
            total = right - left + 30
            odd = 2 * wanted - 1
            reach = np.abs(odd) > (_FAR >> total)
            target = np.where(reach, np.sign(odd) * _FAR, odd << np.where(reach, 0, total))
            return -((-target) // multiplier)
        half = (np.int64(1) << right) >> 1
        x = (wanted << right) - half + ((wanted <= 0) & (right > 0))
        x = np.minimum(np.maximum(x, -(np.int64(1) << 31)), np.int64(1) << 31)
        shifted = -((-((x << 31) - (1 << 30))) // multiplier)
        return -((-shifted) >> left)


def reachable(weights: Ints, bias: Ints, low: int, high: int) -> tuple[Ints, Ints]:
    """Bounds of bias[n] + sum over k of weights[n, k] * x[k] for all low <= x[k] <= high."""
    positive, negative = np.maximum(weights, 0).sum(axis=1), np.minimum(weights, 0).sum(axis=1)
    return bias + positive * low + negative * high, bias + positive * high + negative * low
