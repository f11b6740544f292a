/*
 * Division by a constant, rounded to nearest with halves away from zero, without a divide instruction.
 *
 * The reciprocal of a count n is (multiplier, shift) with multiplier = ceil(2^(26 + shift) / n) < 2^31.  It is exact for
 * all |x| + n / 2 < 2^24 for which the compiler of the network proved it.
 */
#ifndef BYROTE_RECIPROCAL_H
#define BYROTE_RECIPROCAL_H
#include "requant.h"

/* x / n for the reciprocal r = (multiplier, shift, n / 2) of n. */
KERNEL int32_t rounded_quotient(int32_t x, const int32_t *r)
{
    uint32_t low;
    int32_t sign = x >> 31;
    OPAQUE(sign);
    const int32_t size = (x ^ sign) - sign + r[2];
    const int32_t quotient = product(size << 6, r[0], &low) >> r[1];
    return (quotient ^ sign) - sign;
}
#endif
