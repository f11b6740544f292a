/*
 * MEAN of each channel over a map that arrives row by row, in any storage: cores with the DSP extension.
 * State: one sum per channel, a multiple of four of them; the zero point is taken away at the start.
 */
#ifndef BYROTE_MEAN_MAP_DSP_H
#define BYROTE_MEAN_MAP_DSP_H
#include "requant.h"
#include "sums_dsp.h"

struct mean_map_dsp {
    struct sums_dsp map;
    int32_t multiplier, shift, output_zero, offset; /* offset: what is added to an int8 where it is stored */
};

KERNEL void mean_map_dsp_begin(const struct mean_map_dsp *s, uint8_t *acc)
{
    sums_dsp_begin(&s->map, acc);
}

KERNEL void mean_map_dsp(const struct mean_map_dsp *s, struct rows in, uint8_t *acc, int32_t rows)
{
    sums_dsp_rows(&s->map, in, acc, rows);
}

KERNEL void mean_map_dsp_finish(const struct mean_map_dsp *s, const uint8_t *acc, uint8_t *out)
{
    const word *sums = const_words(acc);
    for (int32_t c = 0; c < s->map.channels; c++) {
        const int32_t q = requantize(sums[c], s->multiplier, s->shift, 0) + s->output_zero;
        out[c] = (uint8_t)(clamp(q, -128, 127) + s->offset);
    }
}
#endif
