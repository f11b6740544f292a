/*
 * SOFTMAX over vectors, int8: one instruction path for all inputs.
 *
 * `exponentials`: exp of the differences 0, -1, ... to the largest element, 31 fractional bits; the last entry serves all
 * larger differences.  The sum has 19 fractional bits; its reciprocal is Newton's.  A vector is read completely before
 * the first of its results is written, and results are written in ascending order.
 */
#ifndef BYROTE_SOFTMAX_S8_H
#define BYROTE_SOFTMAX_S8_H
#include "normalize.h"
#include "rows.h"

struct softmax_s8 {
    int32_t length, vectors, last; /* elements per vector; vectors per row; last index of the table */
};

KERNEL void softmax_s8_vector(const struct softmax_s8 *s, const int32_t *exponentials, const int8_t *in, uint8_t *out)
{
    int32_t most = -128;
    uint32_t sum = 0;
    for (int32_t i = 0; i < s->length; i++) most = larger(most, in[i]);
    for (int32_t i = 0; i < s->length; i++)
        sum += ((uint32_t)exponentials[smaller(most - in[i], s->last)] + 2048u) >> 12;
    const uint32_t headroom = leading_zeros(sum);
    const int32_t scale = one_over_one_plus((int32_t)((sum << headroom) - 0x80000000u));
    for (int32_t i = 0; i < s->length; i++) {
        const int32_t e = exponentials[smaller(most - in[i], s->last)];
        /* v / 2^(35 - headroom), halves up: the shift exceeds 31 only where the result is 0. */
        const uint32_t v = (uint32_t)doubling_high_mul(scale, e) >> 3;
        const int32_t q = (int32_t)(((v >> (31u - headroom)) + 1u) >> 1);
        out[i] = (uint8_t)(smaller(q, 255) - 128);
    }
}

KERNEL void softmax_s8(const struct softmax_s8 *s, const int32_t *exponentials, struct rows in, uint8_t *out,
                       int32_t rows)
{
    const int32_t row_size = s->length * s->vectors;
    for (int32_t j = 0; j < rows; j++) {
        const int8_t *row = (const int8_t *)row_at(&in, in.top + j, row_size);
        for (int32_t n = 0; n < s->vectors; n++, out += s->length)
            softmax_s8_vector(s, exponentials, row + n * s->length, out);
    }
}
#endif
