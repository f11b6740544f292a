/*
 * RESIZE_NEAREST_NEIGHBOR of a whole tensor of bytes: `places` holds the input row of each output row, then the input
 * column of each output column.
 */
#ifndef BYROTE_RESIZE_NEAREST_S8_H
#define BYROTE_RESIZE_NEAREST_S8_H
#include "move.h"

struct resize_nearest_s8 {
    int32_t height, width, row, channels; /* of the output; bytes per input row */
};

KERNEL void resize_nearest_s8(const struct resize_nearest_s8 *s, const int16_t *places, struct rows in, uint8_t *out,
                              int32_t rows)
{
    (void)rows;
    for (int32_t y = 0; y < s->height; y++) {
        const uint8_t *line = row_at(&in, places[y], s->row);
        for (int32_t x = 0; x < s->width; x++, out += s->channels)
            move_bytes(out, line + places[s->height + x] * s->channels, s->channels);
    }
}
#endif
