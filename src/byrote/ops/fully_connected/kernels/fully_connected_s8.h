/*
 * FULLY_CONNECTED, int8, plain C: four outputs at a time.
 *
 * A vector of `in_rows * part` elements lies in `in_rows` rows; a row may hold `vectors` of them side by side.
 * Weights: per four outputs, per element four interleaved bytes; `channels`: (bias, multiplier, shift) per output, the
 * input's zero point folded into the bias; both padded to a multiple of four outputs.
 */
#ifndef BYROTE_FULLY_CONNECTED_S8_H
#define BYROTE_FULLY_CONNECTED_S8_H
#include "requant.h"
#include "rows.h"

struct fully_connected_s8 {
    int32_t row, in_rows, vectors, part; /* bytes per input row; rows per vector; vectors per row; elements per row */
    int32_t outputs, output_zero, low, high, single;
};

/* Requantise one output: c = (bias, multiplier, shift). */
KERNEL uint8_t fully_connected_s8_out(const struct fully_connected_s8 *s, const int32_t *c, int32_t acc)
{
    const int32_t q = requantize(acc, c[1], c[2], s->single) + s->output_zero;
    return (uint8_t)clamp(q, s->low, s->high);
}

KERNEL void fully_connected_s8(const struct fully_connected_s8 *s, const int8_t *weights, const int32_t *channels,
                               struct rows in, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        for (int32_t n = 0; n < s->vectors; n++) {
            const int8_t *w = weights;
            const int32_t *c = channels;
            for (int32_t left_over = s->outputs; left_over > 0; left_over -= 4, c += 12) {
                int32_t a0 = c[0], a1 = c[3], a2 = c[6], a3 = c[9];
                for (int32_t r = 0; r < s->in_rows; r++) {
                    const int8_t *p = (const int8_t *)row_at(&in, in.top + j * s->in_rows + r, s->row) + n * s->part;
                    for (int32_t i = 0; i < s->part; i++, w += 4) {
                        const int32_t d = p[i];
                        a0 += d * w[0];
                        a1 += d * w[1];
                        a2 += d * w[2];
                        a3 += d * w[3];
                    }
                }
                *out++ = fully_connected_s8_out(s, c, a0);
                if (left_over > 1) *out++ = fully_connected_s8_out(s, c + 3, a1);
                if (left_over > 2) *out++ = fully_connected_s8_out(s, c + 6, a2);
                if (left_over > 3) *out++ = fully_connected_s8_out(s, c + 9, a3);
            }
        }
    }
}

/* All vectors of a whole tensor, wherever its rows end. */
KERNEL void fully_connected_all_s8(const struct fully_connected_s8 *s, const int8_t *weights, const int32_t *channels,
                                   struct rows in, uint8_t *out, int32_t rows)
{
    (void)rows;
    in.top = 0;
    fully_connected_s8(s, weights, channels, in, out, 1);
}
#endif
