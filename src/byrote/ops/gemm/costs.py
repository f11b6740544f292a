"""Instructions of the matrix core, estimated: for choosing among kernels and storages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """N channels, K products, and whether results need the longer requantisation."""

    channels: int
    depth: int
    uneven: bool


def _results(size: Size, pixels: int) -> int:
    """Requantisation and stores."""
    return size.channels * pixels * (11 if size.uneven else 5)


def pair_of_pixels(size: Size, *, mixed: bool) -> int:
    """All channels of two pixels, expanded before."""
    if mixed:
        return -(-size.channels // 4) * (7 * size.depth + 30) + _results(size, 2)
    return -(-size.channels // 2) * (18 * size.depth // 4 + 25) + _results(size, 2)


def vector(size: Size, *, mixed: bool) -> int:
    """All channels of a vector that is not expanded before."""
    if mixed:
        return -(-size.channels // 8) * (35 * size.depth // 4 + 45) + _results(size, 1)
    return -(-size.channels // 2) * (17 * size.depth // 4 + 25) + _results(size, 1)
