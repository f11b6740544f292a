"""Integer factors that round to nearest, halves away from zero, exactly as a float64 product would.

LiteRT's reference kernel for FULLY_CONNECTED computes round(acc * real) with a float64 factor.  One rounding in
integers, floor(acc * multiplier / 2^n + 1/2), is the same function on all accumulators of a channel if it first reaches
every result at the same accumulator.  That is checked here for the multiplier of 31 bits and its neighbours.

It fails for factors like 0.7 that are a simple fraction but for their last bit: some of the products that would be
halves are rounded to the half and some to the number below it, in no order that a factor and an offset could follow.
Scales as calibration gives them make no such factors; those of 7/8 and 5/4 do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from byrote.ir import Requant, Rounding, quantize_multiplier
from byrote.ops.reading import Unreadable

_NEIGHBOURS = (0, 1, -1, 2, -2, 3, -3)


def nearest_requant(
    reals: Sequence[float],
    least: npt.NDArray[np.int64],
    most: npt.NDArray[np.int64],
    results: tuple[int, int],
) -> Requant:
    """Requant, one rounding, for channels of factor reals[c] and accumulators least[c]..most[c].

    `results`: smallest and largest result that the clamp lets through, without the zero point.
    """
    pairs = [_channel(real, int(a), int(b), results) for real, a, b in zip(reals, least, most, strict=True)]
    return Requant(tuple(m for m, _ in pairs), tuple(s for _, s in pairs), Rounding.SINGLE)


def _channel(real: float, least: int, most: int, results: tuple[int, int]) -> tuple[int, int]:
    multiplier, shift = quantize_multiplier(real)
    if not multiplier:
        return multiplier, shift
    wanted = np.arange(results[0] + 1, results[1] + 1)
    reached = _thresholds(real, wanted, least, most)
    thresholds = [(int(j), int(acc)) for j, acc in zip(wanted, reached, strict=True)]
    for neighbour in _NEIGHBOURS:
        if _passes(multiplier + neighbour, 31 - shift, thresholds, least, most):
            return multiplier + neighbour, shift
    raise Unreadable(
        f"products with its factor {real!r} (input scale * weight scale / output scale) meet halves, which float64 "
        f"rounds now up, now down; no integer factor does the same for accumulators from {least} to {most}",
        "use the profile tflm, or an output scale that is not a simple fraction of the product of the others",
    )


def _passes(multiplier: int, total: int, thresholds: Sequence[tuple[int, int]], least: int, most: int) -> bool:
    """Whether each result j is first reached at its accumulator: acc * multiplier >= j * 2^total - 2^(total - 1)."""
    if not 0 < multiplier < 1 << 31:
        return False
    half = 1 << (total - 1)
    return all(
        (acc == least or (acc - 1) * multiplier < (2 * j - 1) * half)
        and (acc > most or acc * multiplier >= (2 * j - 1) * half)
        for j, acc in thresholds
    )


def _thresholds(real: float, wanted: npt.NDArray[np.int64], least: int, most: int) -> npt.NDArray[np.int64]:
    """For each result the least accumulator that gives at least it, in least..most + 1; rounding is monotone."""
    below = np.full(wanted.shape, least - 1, np.int64)
    above = np.full(wanted.shape, most + 1, np.int64)
    while np.any(above - below > 1):
        middle = (below + above) >> 1
        product = middle.astype(np.float64) * real
        rounded = np.sign(product) * np.floor(np.abs(product) + 0.5)
        undecided, enough = above - below > 1, rounded >= wanted
        above = np.where(undecided & enough, middle, above)
        below = np.where(undecided & ~enough, middle, below)
    return above
