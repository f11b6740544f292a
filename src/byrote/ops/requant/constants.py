"""The three-instruction requantisation: u = clamp(high word of (v * M + R * 2^32) >> s, 0, 255), v = scale * acc + b.

On Cortex-M4 that is SMMLA and USAT (the bias is in the accumulator anyway).  All channels of a layer share s; b, M and
R are chosen per channel so that the result equals the reference for *every* reachable accumulator.

Where the constants come from.  Both sides are monotone step functions, so they are equal iff they step at the same
accumulators.  With t_j the reference's threshold of result j and c = b * M + R * 2^32 the step is right iff
    scale * t_j * M + c >= j * 2^(32 + s) > scale * (t_j - 1) * M + c
that is, one interval for c per j; their intersection is one interval.  The interval
is about M / 255 wide, so that a b of some hundreds has integers b, R with c inside.  What is found is then proved by
evaluation.  Two roundings with results on both sides of the zero point step unevenly there and are not tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from byrote.ir import Rounding
from byrote.ir.fixedpoint import Ints
from byrote.ops.requant.channels import LEVELS, Channels
from byrote.ops.requant.proof import agrees

_NUDGES = (0, 1, -1, 2, -2, 3, -3, 4, -4, 6, -6, 8, -8)
"""Multipliers tried around the ideal one."""

_LARGEST_BIAS = 1 << 24
"""Larger biases would cost accumulators too much of their range."""

_MASK = (1 << 32) - 1

_LARGEST_SHIFT = 22
"""255 * 2^(32 + s) has to fit into 62 bits."""


@dataclass(frozen=True)
class Constants:
    """Per channel [N]: `bias` (to be added to scale * acc), `multiplier` M, `rounding` R.

    `exact[n]`: proved for every accumulator of the channel; where it is false the other values mean nothing.
    """

    scale: int
    shift: int
    bias: Ints
    multiplier: Ints
    rounding: Ints
    exact: npt.NDArray[np.bool_]

    def apply(self, acc: Ints) -> Ints:
        """What the instructions compute from accumulators [..., N], before the clamp."""
        return (((self.scale * acc + self.bias) * self.multiplier >> 32) + self.rounding) >> self.shift


def largest_shift(channels: Channels, scale: int) -> int:
    """The shift that gives the most precise multipliers that still fit into 31 bits; negative if there is none."""
    live = ~channels.constant
    if not live.any():
        return 0
    return min(int((-channels.shift[live]).min()) - 1 + (scale.bit_length() - 1), _LARGEST_SHIFT)


def find(channels: Channels, scale: int, shift: int) -> Constants:
    """Constants for accumulators scaled by `scale` and a final shift `shift`; `exact` says for which channels."""
    size = channels.size
    bias, multiplier = np.zeros(size, np.int64), np.zeros(size, np.int64)
    rounding = channels.reference(channels.low) << max(shift, 0)  # right where the result is constant
    found = channels.constant.copy()
    if not 0 <= shift <= _LARGEST_SHIFT:
        return Constants(scale, 0, bias, multiplier, rounding, found)
    fits = scale * np.maximum(np.abs(channels.low), np.abs(channels.high)) < 1 << 31
    even = channels.reference(channels.low) >= channels.zero_point + 128
    able = fits & ~channels.saturates & ~found & (even | (channels.requant.rounding is Rounding.SINGLE))
    exponent = (1 + shift + channels.shift).astype(np.float64)
    ideal = np.rint(channels.multiplier * np.exp2(exponent) / scale)
    able &= (ideal > 16) & (ideal < 2**31 - 16)
    centre = np.where(able, ideal, 1).astype(np.int64)
    for nudge in _NUDGES:
        subset = np.nonzero(able & ~found)[0]
        if not subset.size:
            break
        m = centre[subset] + nudge
        b, r, good = _search(m, *_window(channels, subset, m, scale, shift))
        hit = subset[good]
        bias[hit], multiplier[hit], rounding[hit], found[hit] = b[good], m[good], r[good], True
    constants = Constants(scale, shift, bias, multiplier, rounding, found)
    return replace(
        constants, exact=found & (channels.constant | _fits(channels, constants)) & agrees(channels, constants.apply)
    )


def _window(channels: Channels, subset: Ints, multiplier: Ints, scale: int, shift: int) -> tuple[Ints, Ints]:
    """Smallest and largest c for which all steps inside the reachable range are right."""
    low, high = channels.low[subset], channels.high[subset]
    first, last = channels.bounds
    levels = LEVELS[first:last]
    thresholds = channels.thresholds[first:last, subset]
    target, step = levels << (shift + 32), scale * multiplier
    never, always = thresholds > high, thresholds <= low
    at_least = np.where(never, -(1 << 62), target - np.minimum(np.maximum(thresholds, low), high) * step)
    before = np.minimum(np.maximum(thresholds - 1, low), high)
    at_most = np.where(always, (1 << 62), target - before * step - 1)
    return at_least.max(axis=0), at_most.min(axis=0)


def _search(multiplier: Ints, at_least: Ints, at_most: Ints) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Per channel the smallest b >= 0 such that at_least <= b * M + R * 2^32 <= at_most for some R."""
    width = at_most - at_least
    bias = first_multiple(multiplier, at_least & _MASK, np.minimum(width, _MASK))
    rounding = -((-(at_least - bias * multiplier)) >> 32)
    return bias, rounding, (width >= 0) & (bias >= 0) & (bias <= _LARGEST_BIAS) & (np.abs(rounding) < 1 << 31)


def first_multiple(step: Ints, start: Ints, width: Ints) -> Ints:
    """The smallest b >= 0 with (b * step - start) mod 2^32 <= width, or -1; 0 < step, 0 <= start < 2^32.

    Either a multiple of the step lies in the interval before the modulus is passed, or the number of times it is passed
    is the answer to the same question with the step as modulus: as Euclid's algorithm, at most some 46 rounds.
    """
    modulus = np.full_like(step, 1 << 32)
    a, low, high = step.copy(), start.copy(), start + width
    done = (width < 0) | (low == 0) | (high > _MASK)  # the interval contains 0
    answer = np.zeros_like(step)
    trail: list[tuple[Ints, Ints, Ints, npt.NDArray[np.bool_]]] = []
    while not done.all():
        safe = np.maximum(a, 1)
        quotient = -(-low // safe)
        hit = ~done & (a > 0) & (quotient * a <= high)
        answer = np.where(hit, quotient, np.where(~done & (a == 0), -1, answer))
        active = ~done & ~hit & (a > 0)
        trail.append((a, modulus, low, active))
        done = ~active
        modulus, a, low, high = (np.where(active, new, 0) for new in (a, modulus % safe, (-high) % safe, (-low) % safe))
        inside = active & ((low == 0) | (low > high))
        answer = np.where(inside, 0, answer)
        done |= inside
    for a, modulus, low, active in reversed(trail):
        lifted = -(-(low + modulus * answer) // np.maximum(a, 1))
        answer = np.where(active & (answer >= 0), lifted, answer)
    return np.where(width < 0, -1, answer)


def _fits(channels: Channels, constants: Constants) -> npt.NDArray[np.bool_]:
    """[N]: no intermediate value leaves 32 bits, signed results included (all are monotone: the ends suffice)."""
    scaled = constants.scale * np.stack([channels.low, channels.high]) + constants.bias
    high_word = (scaled * constants.multiplier >> 32) + constants.rounding
    fits: npt.NDArray[np.bool_] = (np.abs(scaled) < 1 << 31) & (np.abs(high_word) < 1 << 30)
    return fits[0] & fits[1]
