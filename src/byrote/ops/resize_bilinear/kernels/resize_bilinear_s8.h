/*
 * RESIZE_BILINEAR of a whole tensor, int8, plain C: the mean of four pixels with weights in 1/1024.
 *
 * `places` holds (row before, row behind, weight of the row behind) for each output row, then the same for each output
 * column.  Tables hold no condition, only places and weights: where there is nothing behind, it is the one before.
 */
#ifndef BYROTE_RESIZE_BILINEAR_S8_H
#define BYROTE_RESIZE_BILINEAR_S8_H
#include "rows.h"

struct resize_bilinear_s8 {
    int32_t height, width, row, channels; /* of the output; bytes per input row */
};

/*
 * Channels of one pixel from the rows p and q, at the bytes `before` and `behind`.  Counts down a hidden number, so that
 * the loop never ends at an address, which comes from a table.
 */
KERNEL void resize_bilinear_s8_pixel(const int8_t *p, const int8_t *q, int32_t before, int32_t behind, int32_t fy,
                                     int32_t fx, uint8_t *out, int32_t channels)
{
    const int32_t a = (1024 - fy) * (1024 - fx), b = (1024 - fy) * fx, c = fy * (1024 - fx), d = fy * fx;
    for (int32_t left = channels; left > 0; left--, p++, q++) {
        const int32_t sum = p[before] * a + p[behind] * b + q[before] * c + q[behind] * d;
        *out++ = (uint8_t)((sum + (1 << 19) + (sum >> 31)) >> 20); /* to nearest, halves away from zero */
        __asm__ volatile("" : "+r"(left));
    }
}

KERNEL void resize_bilinear_s8(const struct resize_bilinear_s8 *s, const int16_t *places, struct rows in, uint8_t *out,
                               int32_t rows)
{
    const int16_t *y = places;
    (void)rows;
    for (int32_t i = 0; i < s->height; i++, y += 3) {
        const int8_t *p = (const int8_t *)row_at(&in, y[0], s->row);
        const int8_t *q = (const int8_t *)row_at(&in, y[1], s->row);
        const int16_t *x = places + 3 * s->height;
        for (int32_t j = 0; j < s->width; j++, x += 3, out += s->channels)
            resize_bilinear_s8_pixel(p, q, x[0] * s->channels, x[1] * s->channels, y[2], x[2], out, s->channels);
    }
}
#endif
