/*
 * MEAN of each channel over a map that arrives row by row, int8, plain C.  State: one sum per channel.
 */
#ifndef BYROTE_MEAN_MAP_S8_H
#define BYROTE_MEAN_MAP_S8_H
#include "requant.h"
#include "sums.h"

struct mean_map_s8 {
    int32_t width, channels; /* pixels per row */
    int32_t start, multiplier, shift, output_zero;
};

KERNEL void mean_map_s8_begin(const struct mean_map_s8 *s, uint8_t *acc)
{
    sums_begin(acc, s->channels);
}

KERNEL void mean_map_s8(const struct mean_map_s8 *s, struct rows in, uint8_t *acc, int32_t rows)
{
    sums_rows(acc, s->channels, s->width, in, rows);
}

KERNEL void mean_map_s8_finish(const struct mean_map_s8 *s, const uint8_t *acc, uint8_t *out)
{
    const word *sums = const_words(acc);
    for (int32_t c = 0; c < s->channels; c++) {
        const int32_t q = requantize(sums[c] + s->start, s->multiplier, s->shift, 0) + s->output_zero;
        out[c] = (uint8_t)clamp(q, -128, 127);
    }
}
#endif
