"""Constants with which a DSP kernel turns accumulators into output bytes exactly (runtime/dsp_output.h).

A kernel may form its sums from weights that are scaled by a whole number per channel.  Then one multiplication,
`clamp((acc * multiplier >> 32) >> shift)` with acc = factor * sum + bias, can equal the reference's rounding for every
sum that the layer can reach: the reference is a staircase, and the constants exist if one line runs between all its
steps.  The steps are taken from the reference itself, so equality is proved, not assumed; where no line exists, the
rounding is done step by step as the profile defines it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

import numpy as np

from byrote.ir import Requant, Rounding, requantize
from byrote.ir.fixedpoint import Ints

ROUND, MULTIPLY = 0, 1
"""Forms of struct dsp_output."""

_LARGEST_FACTOR = 258
"""Of int8 weights in int16 lanes."""

_MULTIPLIER_STEPS = (0, 1, -1, 2, -2, 3, -3, 4, -4, 6, -6, 8, -8)
"""Distances from the ideal multiplier that are tried."""


@dataclass(frozen=True)
class Staircase:
    """One channel of the reference: output[least] at the smallest sum, +1 at each of `steps` (ascending sums)."""

    least: int
    most: int
    bottom: int
    steps: tuple[int, ...]

    @property
    def top(self) -> int:
        return self.bottom + len(self.steps)


@dataclass(frozen=True)
class Target:
    """What the output byte means: zero point and clamp as stored; `signed`: int8, else int8 + 128."""

    zero_point: int
    low: int
    high: int
    signed: bool

    @property
    def limits(self) -> tuple[int, int]:
        return (-128, 127) if self.signed else (0, 255)

    @staticmethod
    def of(zero_point: int, clamp: tuple[int, int], *, unsigned: bool) -> Target:
        """From an int8 zero point and clamp, and whether the storage is q + 128."""
        offset = 128 if unsigned else 0
        return Target(zero_point + offset, clamp[0] + offset, clamp[1] + offset, not unsigned)


@dataclass(frozen=True)
class Sums:
    """Sums of a layer, per channel, before any factor.

    `bias` with the input's zero point folded in; `least` and `most` over all inputs and all windows, clipped ones too;
    `largest_factor` that the weights bear; `unit`: the kernel forms unit * factor * sum.
    """

    bias: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    largest_factor: tuple[int, ...]
    unit: int = 1


@dataclass(frozen=True)
class DspOutput:
    """The members of struct dsp_output, and per channel: factor of the weights, bias, multiplier, add, shift.

    A channel with factor 0 is constant: its weights are to be stored as zeros.
    """

    form: int
    shift: int
    single: bool
    target: Target
    factors: tuple[int, ...]
    bias: tuple[int, ...]
    multiplier: tuple[int, ...]
    add: tuple[int, ...]
    shifts: tuple[int, ...]

    @property
    def fields(self) -> tuple[int, ...]:
        target = self.target
        clamped = (target.low, target.high) != target.limits
        flags = (self.form, self.shift, int(self.single), int(target.signed), int(clamped))
        return (*flags, target.low, target.high)

    def constants(self, channel: int) -> tuple[int, ...]:
        """(bias, multiplier) and, if rounding step by step, (add, shift)."""
        pair = (self.bias[channel], self.multiplier[channel])
        return pair if self.form == MULTIPLY else (*pair, self.add[channel], self.shifts[channel])


@lru_cache(maxsize=256)
def dsp_output(requant: Requant, target: Target, sums: Sums) -> DspOutput | str:
    """The cheapest exact form, or the sentence why there is none."""
    return _multiply(requant, target, sums) or _round(requant, target, sums)


FORMS = ("result, multiplied", "result, rounded once", "result, rounded twice", "result, clamped")
"""What results cost depends on."""


def results_by_form(constants: DspOutput | str, results: float) -> tuple[float, ...]:
    """How many results of each of FORMS; a clamped one counts twice."""
    if isinstance(constants, str):
        return (0.0,) * len(FORMS)
    multiplied, single = constants.form == MULTIPLY, constants.single
    clamped = (constants.target.low, constants.target.high) != constants.target.limits
    chosen = (multiplied, not multiplied and single, not multiplied and not single, not multiplied and clamped)
    return tuple(results * one for one in chosen)


def staircases(requant: Requant, target: Target, sums: Sums) -> tuple[Staircase, ...]:
    """The reference of every channel over its sums."""
    offset = 0 if target.signed else 128  # int8 + 128 steps where int8 does
    clamp = target.zero_point - offset, target.low - offset, target.high - offset
    found = _staircases(requant, clamp, sums.least, sums.most)
    return found if target.signed else tuple(replace(stairs, bottom=stairs.bottom + 128) for stairs in found)


@lru_cache(maxsize=256)
def _staircases(
    requant: Requant, clamp: tuple[int, int, int], low_sums: tuple[int, ...], high_sums: tuple[int, ...]
) -> tuple[Staircase, ...]:
    """`clamp`: zero point, lowest and highest result.  By bisection: it is monotone, multipliers are not negative."""
    least, most = np.asarray(low_sums, np.int64), np.asarray(high_sums, np.int64)

    def reference(sums: Ints) -> Ints:
        return np.clip(requantize(sums, requant) + clamp[0], clamp[1], clamp[2])

    bottom, top = reference(least), reference(most)
    values = bottom + np.arange(1, 256, dtype=np.int64).reshape(-1, 1)
    low, high = np.broadcast_to(least, values.shape), np.broadcast_to(most, values.shape)
    while bool(np.any(low < high)):
        middle = (low + high) >> 1
        reached = reference(middle) >= values
        low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
    return tuple(
        Staircase(int(least[c]), int(most[c]), int(bottom[c]), tuple(low[: int(top[c] - bottom[c]), c].tolist()))
        for c in range(least.size)
    )


@dataclass(frozen=True, eq=False)
class Points:
    """A staircase as arrays of (value, sum): where the output is at least a value, and where it is below one.

    `reach`: more than any sum's distance from 0.
    """

    at_least: tuple[Ints, Ints]
    below: tuple[Ints, Ints]
    reach: int

    @staticmethod
    def of(stairs: Staircase, target: Target) -> Points:
        low, high = target.limits
        values = np.arange(stairs.bottom, stairs.top + 2, dtype=np.int64)
        steps = np.asarray((stairs.least, *stairs.steps, stairs.most + 1), np.int64)
        first, last = int(stairs.bottom <= low), values.size - int(stairs.top >= high)
        at_least = values[first:-1], steps[first:-1]
        return Points(at_least, (values[1:last], steps[1:last] - 1), max(-stairs.least, stairs.most) + 1)

    def interval(self, factor: int, multipliers: Ints, shift: int) -> tuple[Ints, Ints]:
        """Least and largest offset * multiplier, for each of [M, 1] multipliers, with which all steps are right."""

        def bounds(points: tuple[Ints, Ints]) -> Ints:
            return (points[0] << (32 + shift)) - factor * points[1] * multipliers

        first = np.max(bounds(self.at_least), axis=1, initial=-(2**62))
        return first, np.min(bounds(self.below), axis=1, initial=2**62) - 1


def line(points: Points, slope: tuple[int, int], factor: int, shift: int) -> tuple[int, int] | None:
    """(offset, multiplier) with clamp(((factor * sum + offset) * multiplier >> 32) >> shift) == stairs, or None.

    `slope`: multiplier and shift of the channel.  The output is at least v if and only if
    offset * multiplier >= (v << (32 + shift)) - factor * sum * multiplier, so each step of the stairs bounds the left
    side from below at its sum, and from above at the sum before.
    """
    exponent = 1 + shift + slope[1]
    if exponent < 0 or shift > 20 or not factor:
        return None
    ideal = (2 * (slope[0] << exponent) // factor + 1) >> 1
    # The ideal multiplier mostly serves; the others are tried together.
    for steps in ((0,), _MULTIPLIER_STEPS):
        multipliers = np.asarray([m for m in (ideal + s for s in steps) if 0 < m < 2**31], np.int64)[:, None]
        # Below 2^63: |factor * sum| < 2^31, values < 2^9, shift <= 20.
        first, last = points.interval(factor, multipliers, shift)
        for m, lower, upper in zip(multipliers[:, 0].tolist(), first.tolist(), last.tolist(), strict=True):
            offsets = -(-int(lower) // int(m)), int(upper) // int(m)
            if offsets[0] <= offsets[1]:
                return (offsets[0] + offsets[1]) // 2, int(m)
    return None


def impossible(points: Points, slope: tuple[int, int], largest: int, shift: int) -> bool:
    """Whether `line` is None for every factor up to `largest`: no offset fits, not even one that is no multiple.

    All products of factor and multiplier that `line` tries are nearly the same, so their bounds are, too.
    """
    exponent = 1 + shift + slope[1]
    if exponent < 0 or shift > 20 or points.reach * (slope[0] << exponent) >= 2**62:
        return False  # not known
    first, last = points.interval(1, np.asarray([[slope[0] << exponent]], np.int64), shift)
    nearby = (max(_MULTIPLIER_STEPS) + 1) * largest
    return int(first[0]) - int(last[0]) > 2 * nearby * points.reach


def _multiply(requant: Requant, target: Target, sums: Sums) -> DspOutput | None:
    channels = range(len(sums.bias))
    slopes = [requant.channel(c) for c in channels]
    stairs = staircases(requant, target, sums)
    points = [Points.of(steps, target) for steps in stairs]
    alive = [c for c in channels if stairs[c].steps]
    unit = sums.unit * min((min(sums.largest_factor[c], _LARGEST_FACTOR) for c in alive), default=1)
    precise = min((-slopes[c][1] for c in alive), default=1) + unit.bit_length() - 2
    # Even shifts first: layers that share their shift can share their code.
    for shift in (precise & ~1, (precise - 1) | 1):
        if not 0 <= shift <= 20:
            continue
        factor = sums.unit * _LARGEST_FACTOR
        if any(impossible(points[c], slopes[c], factor, shift) for c in alive):
            continue
        rows: list[tuple[int, int, int]] = []
        for c in channels:
            found = _channel(stairs[c], points[c], slopes[c], shift, sums, c)
            if found is None:
                break
            rows.append(found)
        if len(rows) == len(channels):
            factors, bias, multiplier = (tuple(row[i] for row in rows) for i in range(3))
            zeros = (0,) * len(rows)
            return DspOutput(MULTIPLY, shift, False, target, factors, bias, multiplier, zeros, zeros)
    return None


def _channel(
    stairs: Staircase, points: Points, slope: tuple[int, int], shift: int, sums: Sums, c: int
) -> tuple[int, int, int] | None:
    """(factor, bias, multiplier) of one channel."""
    if not stairs.steps:
        return 0, stairs.bottom << (shift + 2), 1 << 30
    largest = min(sums.largest_factor[c], _LARGEST_FACTOR)
    reach = sums.unit * max(-sums.least[c], sums.most[c]) + 1
    factors = range(largest, (largest + 1) // 2 - 1, -1)
    for factor in chain((256,) if 256 in factors else (), factors):
        if factor * reach >= 2**30:
            continue
        found = line(points, slope, sums.unit * factor, shift)
        if found and abs(found[0]) < 2**30:
            return factor, _wrap(sums.unit * factor * sums.bias[c] + found[0]), found[1]
    return None


def _round(requant: Requant, target: Target, sums: Sums) -> DspOutput | str:
    channels = range(len(sums.bias))
    slopes = [requant.channel(c) for c in channels]
    shifts = tuple(-s if m else 1 for m, s in slopes)
    if min(shifts) < 1:
        return "outputs are rescaled by half or more, which the step by step rounding of this kernel does not cover"
    add = tuple((target.zero_point << n) + (1 << (n - 1)) for n in shifts)
    factor = max(1, 2 // sums.unit)
    for c in channels:
        reach = max(-sums.least[c], sums.most[c])
        if max(sums.unit * factor * reach, reach + abs(add[c])) >= 2**31 - 1:
            return f"sums of output channel {c} can reach {reach}, which does not leave the kernel a spare bit"
    return DspOutput(
        ROUND,
        0,
        requant.rounding is Rounding.SINGLE,
        target,
        (factor,) * len(shifts),
        tuple(_wrap(sums.unit * factor * b) for b in sums.bias),
        tuple(m for m, _ in slopes),
        add,
        shifts,
    )


def _wrap(value: int) -> int:
    """Modulo 2^32, as int32: sums wrap, only the final one has to fit."""
    return (value + 2**31) % 2**32 - 2**31
