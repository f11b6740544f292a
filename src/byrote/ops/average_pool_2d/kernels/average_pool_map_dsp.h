/*
 * AVERAGE_POOL_2D over the whole input, which arrives row by row, in any storage: cores with the DSP extension.
 * State: one sum per channel, a multiple of four of them.
 */
#ifndef BYROTE_AVERAGE_POOL_MAP_DSP_H
#define BYROTE_AVERAGE_POOL_MAP_DSP_H
#include "reciprocal.h"
#include "sums_dsp.h"

struct average_pool_map_dsp {
    struct sums_dsp map;
    int32_t low, high, offset; /* offset: what is added to an int8 where it is stored */
};

KERNEL void average_pool_map_dsp_begin(const struct average_pool_map_dsp *s, const int32_t *reciprocals, uint8_t *acc)
{
    (void)reciprocals;
    sums_dsp_begin(&s->map, acc);
}

KERNEL void average_pool_map_dsp(const struct average_pool_map_dsp *s, const int32_t *reciprocals, struct rows in,
                                 uint8_t *acc, int32_t rows)
{
    (void)reciprocals;
    sums_dsp_rows(&s->map, in, acc, rows);
}

KERNEL void average_pool_map_dsp_finish(const struct average_pool_map_dsp *s, const int32_t *reciprocals,
                                        const uint8_t *acc, uint8_t *out)
{
    const word *sums = const_words(acc);
    for (int32_t c = 0; c < s->map.channels; c++)
        out[c] = (uint8_t)(clamp(rounded_quotient(sums[c], reciprocals), s->low, s->high) + s->offset);
}
#endif
