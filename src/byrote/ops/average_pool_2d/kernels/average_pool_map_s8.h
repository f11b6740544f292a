/*
 * AVERAGE_POOL_2D over the whole input, which arrives row by row, int8, plain C.  State: one sum per channel.
 */
#ifndef BYROTE_AVERAGE_POOL_MAP_S8_H
#define BYROTE_AVERAGE_POOL_MAP_S8_H
#include "reciprocal.h"
#include "sums.h"

struct average_pool_map_s8 {
    int32_t width, channels, low, high;
};

KERNEL void average_pool_map_s8_begin(const struct average_pool_map_s8 *s, const int32_t *reciprocals, uint8_t *acc)
{
    (void)reciprocals;
    sums_begin(acc, s->channels);
}

KERNEL void average_pool_map_s8(const struct average_pool_map_s8 *s, const int32_t *reciprocals, struct rows in,
                                uint8_t *acc, int32_t rows)
{
    (void)reciprocals;
    sums_rows(acc, s->channels, s->width, in, rows);
}

KERNEL void average_pool_map_s8_finish(const struct average_pool_map_s8 *s, const int32_t *reciprocals,
                                       const uint8_t *acc, uint8_t *out)
{
    const word *sums = const_words(acc);
    for (int32_t c = 0; c < s->channels; c++)
        out[c] = (uint8_t)clamp(rounded_quotient(sums[c], reciprocals), s->low, s->high);
}
#endif
