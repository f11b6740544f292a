"""Fixed-point functions on int64 arrays that hold int32 values, as gemmlowp's fixed-point library defines them.

A number with `k` integer bits has 31 - k fractional bits.  The constants are round(c * 2^(fractional bits)).
"""

from __future__ import annotations

import numpy as np

from byrote.ir.fixedpoint import INT32_MAX, Ints, doubling_high_mul, rounding_shift, saturate32

_EXP_STEPS = (
    (-2, 1672461947),
    (-1, 1302514674),
    (0, 790015084),
    (1, 290630308),
    (2, 39332535),
    (3, 720401),
    (4, 242),
)
"""exp(-2^k) with 31 fractional bits."""


def exp_on_negative_values(a: Ints, integer_bits: int) -> Ints:
    """exp(a) for a <= 0 with `integer_bits` integer bits; the result has none."""
    fractional = 31 - integer_bits
    quarter = np.int64(1 << (fractional - 2))
    reduced = (a & (quarter - 1)) - quarter
    result = _exp_between_negative_quarter_and_0(reduced << integer_bits)
    remainder = reduced - a
    for exponent, factor in _EXP_STEPS:
        if integer_bits > exponent:
            bit = np.int64(1 << (fractional + exponent))
            result = np.where(remainder & bit, doubling_high_mul(result, np.int64(factor)), result)
    return np.where(a == 0, np.int64(INT32_MAX), result)


def _exp_between_negative_quarter_and_0(a: Ints) -> Ints:
    """Taylor's series of fourth order around -1/8."""
    x = a + (1 << 28)
    x2 = doubling_high_mul(x, x)
    x3 = doubling_high_mul(x2, x)
    x4 = doubling_high_mul(x2, x2)
    third = doubling_high_mul(rounding_shift(x4, np.int64(2)) + x3, np.int64(715827883))
    tail = rounding_shift(third + x2, np.int64(1))
    return 1895147668 + doubling_high_mul(np.int64(1895147668), x + tail)


def _newton(half_denominator: Ints) -> Ints:
    """1 / half_denominator with 29 fractional bits, three steps."""
    x = 1515870810 + doubling_high_mul(half_denominator, np.int64(-1010580540))
    for _ in range(3):
        error = (1 << 29) - doubling_high_mul(half_denominator, x)
        x = x + saturate32(doubling_high_mul(x, error) << 2)
    return x


def one_over_one_plus(a: Ints) -> Ints:
    """1 / (1 + a) for a in [0, 1], no integer bits."""
    return saturate32(_newton((a + INT32_MAX + 1) >> 1) << 1)


def one_minus_over_one_plus(a: Ints) -> Ints:
    """(1 - a) / (1 + a) for a in [0, 1], no integer bits."""
    return saturate32((_newton((a + INT32_MAX + 1) >> 1) - (1 << 29)) << 2)


def logistic(a: Ints, integer_bits: int) -> Ints:
    """1 / (1 + exp(-a)), no integer bits."""
    positive = one_over_one_plus(exp_on_negative_values(-np.abs(a), integer_bits))
    return np.where(a == 0, np.int64(1 << 30), np.where(a > 0, positive, INT32_MAX - positive))


def tanh(a: Ints, integer_bits: int) -> Ints:
    """tanh(a), no integer bits."""
    doubled = exp_on_negative_values(-np.abs(a), integer_bits + 1)  # the same digits with a bit more are 2 * a
    size = one_minus_over_one_plus(doubled)
    return np.where(a == 0, np.int64(0), np.where(a > 0, size, -size))
