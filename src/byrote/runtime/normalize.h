/*
 * Counting leading zeros and 1 / (1 + x) in fixed point, without a branch or a division.
 */
#ifndef BYROTE_NORMALIZE_H
#define BYROTE_NORMALIZE_H
#include "requant.h"

/* 16, 8, 4, 2 or 1 if the top `bits` bits of x are zero, else 0. */
KERNEL uint32_t empty_top(uint32_t x, uint32_t bits)
{
    uint32_t empty = ((x >> (32u - bits)) - 1u) >> 31;
    OPAQUE(empty);
    return empty * bits;
}

/* Leading zeros of x > 0; the instruction for it is missing on small cores, and the library's helper branches. */
KERNEL uint32_t leading_zeros(uint32_t x)
{
    uint32_t count = 0, step;
    step = empty_top(x, 16);
    x <<= step;
    count += step;
    step = empty_top(x, 8);
    x <<= step;
    count += step;
    step = empty_top(x, 4);
    x <<= step;
    count += step;
    step = empty_top(x, 2);
    x <<= step;
    count += step;
    return count + empty_top(x, 1);
}

/*
 * 1 / (1 + x) for x in [0, 1), both with 31 fractional bits, the result saturated below 1: Newton's iteration as
 * gemmlowp's fixed-point library does it, three steps from 48/17 - 32/17 * (1 + x) / 2.
 */
KERNEL int32_t one_over_one_plus(int32_t x)
{
    const int32_t half = (x >> 1) + (1 << 30);
    int32_t y = 1515870810 + doubling_high_mul(-1010580540, half); /* 29 fractional bits */
    for (int32_t i = 0; i < 3; i++) {
        const int32_t error = (1 << 29) - doubling_high_mul(half, y);
        y += doubling_high_mul(error, y) * 4;
    }
    const uint32_t twice = (uint32_t)smaller(y, 1 << 30) << 1;
    return (int32_t)(twice - (twice >> 31));
}
#endif
