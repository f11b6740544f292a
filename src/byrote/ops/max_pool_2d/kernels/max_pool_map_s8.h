/*
 * MAX_POOL_2D over the whole input, which arrives row by row, int8, plain C.  State: the largest value per channel.
 */
#ifndef BYROTE_MAX_POOL_MAP_S8_H
#define BYROTE_MAX_POOL_MAP_S8_H
#include "requant.h"
#include "rows.h"

struct max_pool_map_s8 {
    int32_t width, channels, low, high;
};

KERNEL void max_pool_map_s8_begin(const struct max_pool_map_s8 *s, uint8_t *acc)
{
    for (int32_t c = 0; c < s->channels; c++) acc[c] = 0x80;
}

KERNEL void max_pool_map_s8(const struct max_pool_map_s8 *s, struct rows in, uint8_t *acc, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const int8_t *row = (const int8_t *)row_at(&in, in.top + j, s->width * s->channels);
        for (int32_t c = 0; c < s->channels; c++) {
            int32_t most = (int8_t)acc[c];
            for (int32_t x = 0; x < s->width; x++) most = larger(most, row[x * s->channels + c]);
            acc[c] = (uint8_t)most;
        }
    }
}

KERNEL void max_pool_map_s8_finish(const struct max_pool_map_s8 *s, const uint8_t *acc, uint8_t *out)
{
    for (int32_t c = 0; c < s->channels; c++) out[c] = (uint8_t)clamp((int8_t)acc[c], s->low, s->high);
}
#endif
