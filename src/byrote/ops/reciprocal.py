"""Proved reciprocals: division by constants as a multiplication and a shift (runtime/reciprocal.h)."""

from __future__ import annotations

REACH = 1 << 24


def reciprocal(count: int, largest: int) -> tuple[int, int, int]:
    """(multiplier, shift, count // 2) such that x // count == (x * 64 * multiplier) >> (32 + shift), 0 <= x <= largest.

    With multiplier = (2^(26 + shift) + e) / count, 0 <= e < count, the result is exact if largest * e < 2^(26 + shift):
    x * multiplier / 2^(26 + shift) exceeds x / count by less than 1 / count.
    """
    assert 0 < count <= largest + 1 <= REACH
    shift = max(0, count.bit_length() - 1 + 4)
    multiplier = -(-(1 << (26 + shift)) // count)
    excess = multiplier * count - (1 << (26 + shift))
    assert multiplier < 1 << 31
    assert largest * excess < 1 << (26 + shift)
    return multiplier, shift, count // 2
