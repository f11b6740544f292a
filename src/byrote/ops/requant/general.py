"""The requantisation that needs no search: five instructions with one shift for the layer, six with one per channel.

Two roundings:  x = SMMULR(acc << left, m); x += x >> 31; u = USAT((x + C) >> n)
One rounding:   u = USAT(SMMLA(acc << left, m, C) >> n)

The first is the reference's own algebra: SMMULR of the doubled accumulator is the doubling high multiply (for its
exact ties, too), and halves away from zero are halves up of a value that is one smaller where it is negative.  The
second is floor(acc * m / 2^(32 + n)) with the rounding constant in front of the floor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from byrote.ir import Rounding
from byrote.ir.fixedpoint import Ints
from byrote.ops.requant.channels import Channels
from byrote.ops.requant.proof import agrees

_LARGEST_SHIFT = 22
"""(255 << n) plus any product below 2^30 has to fit into 31 bits."""


@dataclass(frozen=True)
class General:
    """`left` for the whole layer; per channel [N] `multiplier` m, `addend` C and `right` n."""

    rounding: Rounding
    left: int
    multiplier: Ints
    addend: Ints
    right: Ints

    @property
    def uniform(self) -> int:
        """The shift that all channels share, or 0."""
        return int(self.right[0]) if self.right.size and (self.right == self.right[0]).all() else 0

    def apply(self, acc: Ints) -> Ints:
        """What the instructions compute from accumulators [..., N], before the clamp."""
        product = (acc << self.left) * self.multiplier
        if self.rounding is Rounding.SINGLE:
            return ((product >> 32) + self.addend) >> self.right
        x = (product + (1 << 31)) >> 32
        return (x + (x >> 31) + self.addend) >> self.right


def general(channels: Channels) -> General | str:
    """Constants that are right for every accumulator, or the sentence why there are none."""
    live = ~channels.constant
    zero = channels.zero_point + 128
    if (channels.saturates & live).any():
        return "an accumulator leaves 32 bits"
    single = channels.requant.rounding is Rounding.SINGLE
    least = int(channels.shift[live].max()) if live.any() else -1
    if not single and least >= 0:
        return "a factor of requantisation is 1/2 or more"
    left = max(least + 2, 0) if single else 1
    largest = np.where(live, np.maximum(np.abs(channels.low), np.abs(channels.high)), 0)
    if (largest << left >= 1 << 30).any():
        return "an accumulator is too large for requantisation in 32 bits"
    # single: total shift 31 - shift + left of the shifted accumulator, 32 of them are the high word
    right = left - channels.shift - 1 if single else -channels.shift
    far = live & (right > _LARGEST_SHIFT)
    if far.any():
        return "a factor of requantisation is too small for 32 bits"
    right = np.where(live, right, max(int(right[live].min()), 1) if live.any() else 1)
    half = np.int64(1) << (right - 1)
    fixed = channels.reference(channels.low) << right
    addend = np.where(live, (np.int64(zero) << right) + half, fixed + (half if not single else 0))
    found = General(channels.requant.rounding, left, np.where(live, channels.multiplier, 0), addend, right)
    assert agrees(channels, found.apply).all(), "the general requantisation is right by algebra"
    return found
