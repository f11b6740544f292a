/*
 * Rescaling 32-bit accumulators to 8 bits exactly as the named numeric profile, without a branch.
 *
 * The real factor is multiplier / 2^31 * 2^(left - right).  Contract: |acc| << left < 2^31 (requant_single: at most 2^30), 0 <= multiplier < 2^31,
 * 0 <= right <= 31, and left == 0 or right == 0: proved at compile time for every channel.
 */
#ifndef BYROTE_REQUANT_H
#define BYROTE_REQUANT_H
#include <stdint.h>

#ifndef KERNEL
#define KERNEL static inline __attribute__((always_inline))
#endif

/* Hides a value from the optimiser, so that branch-free arithmetic on it is not turned back into a branch. */
#define OPAQUE(x) __asm__("" : "+r"(x))

/* High word of the 64-bit product a * b, b >= 0; the low word goes to *low. */
KERNEL int32_t product(int32_t a, int32_t b, uint32_t *low)
{
#if defined(__thumb__) && !defined(__thumb2__)
    /* No long multiply here, and the library's branches on data: 16-bit pieces. */
    const uint32_t al = (uint32_t)a & 0xffffu, bl = (uint32_t)b & 0xffffu;
    const int32_t ah = a >> 16, bh = b >> 16;
    const uint32_t ll = al * bl;
    const int32_t mid = ah * (int32_t)bl + (int32_t)(ll >> 16);
    const int32_t mid2 = (int32_t)(al * (uint32_t)bh + ((uint32_t)mid & 0xffffu));
    *low = ((uint32_t)mid2 << 16) | (ll & 0xffffu);
    return ah * bh + (mid >> 16) + (int32_t)((uint32_t)mid2 >> 16);
#else
    const int64_t p = (int64_t)a * b;
    *low = (uint32_t)((uint64_t)p & 0xffffffffu);
    return (int32_t)(p >> 32);
#endif
}

/* floor(a * b / 2^31 + 1/2): both roundings of gemmlowp's doubling high multiply are this one expression. */
KERNEL int32_t doubling_high_mul(int32_t a, int32_t b)
{
    uint32_t low;
    const uint32_t high = (uint32_t)product(a, b, &low);
    return (int32_t)(((high << 1) | (low >> 31)) + ((low >> 30) & 1u));
}

/* x / 2^n, halves away from zero. */
KERNEL int32_t rounding_shift(int32_t x, int32_t n)
{
    int32_t mask = (int32_t)((1u << n) - 1u);
    int32_t above = (mask >> 1) - (x >> 31) - (x & mask); /* negative if the remainder exceeds half */
    OPAQUE(above);
    return (x >> n) - (above >> 31);
}

/* Profile "double": two roundings. */
KERNEL int32_t requant_double(int32_t acc, int32_t multiplier, int32_t left, int32_t right)
{
    return rounding_shift(doubling_high_mul((int32_t)((uint32_t)acc << left), multiplier), right);
}

/* Profile "single": floor(acc * multiplier / 2^(31 + right) + 1/2), as a nested floor. */
KERNEL int32_t requant_single(int32_t acc, int32_t multiplier, int32_t left, int32_t right)
{
    uint32_t low;
    const uint32_t high = (uint32_t)product((int32_t)((uint32_t)acc << left), multiplier, &low);
    return (((int32_t)((high << 2) | (low >> 30)) >> right) + 1) >> 1;
}

/*
 * min(x, 0) by a mask of its own sign.  Both values are hidden: from either alone a compiler recognises the minimum and
 * takes a branch or a conditional instruction for it.
 */
KERNEL int32_t negative_part(int32_t x)
{
    OPAQUE(x);
    int32_t sign = x >> 31;
    OPAQUE(sign);
    return x & sign;
}

/* The one that a layer's constant selects. */
KERNEL int32_t requantize(int32_t acc, int32_t multiplier, int32_t shift, int32_t single)
{
    int32_t sign = shift >> 31;
    OPAQUE(sign);
    const int32_t left = shift & ~sign, right = -(shift & sign);
    return single ? requant_single(acc, multiplier, left, right) : requant_double(acc, multiplier, left, right);
}

/* min(max(x, low), high) for bounds in [-2^15, 2^15], |x| < 2^30. */
KERNEL int32_t clamp(int32_t x, int32_t low, int32_t high)
{
    x -= negative_part(x - low);
    return x + negative_part(high - x);
}

/* The larger of two numbers, |a - b| < 2^31. */
KERNEL int32_t larger(int32_t a, int32_t b)
{
    return a - negative_part(a - b);
}

/* The smaller of two numbers, |a - b| < 2^31. */
KERNEL int32_t smaller(int32_t a, int32_t b)
{
    return b + negative_part(a - b);
}
#endif
