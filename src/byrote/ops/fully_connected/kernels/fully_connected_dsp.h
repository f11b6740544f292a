/*
 * FULLY_CONNECTED, int8, for cores with the DSP extension: each vector is one pixel of K inputs (gemm.h).
 *
 * A vector of `in_rows * part` elements lies in `in_rows` rows, each part filled up to `k` products with zero weights (as
 * many bytes may be read beyond it); a row may hold `vectors` of them side by side.  Bytes may be signed or unsigned
 * (q + 128) on either side.  They are extended as they are multiplied: no scratch.
 */
#ifndef BYROTE_FULLY_CONNECTED_DSP_H
#define BYROTE_FULLY_CONNECTED_DSP_H
#include "gemm.h"

struct fully_connected_dsp {
    int32_t in_row, in_rows, vectors, part, in_signed; /* bytes per input row; rows per vector; vectors per row */
    int32_t out_channels, out_signed, low, high;       /* low, high: of the stored result */
    int32_t k, unroll, form, params, shift, left;      /* see struct gemm; k and unroll of one part */
};

/* Both kernels; `mixed` is a constant. */
KERNEL void fully_connected_dsp_rows(const struct fully_connected_dsp *s, int32_t mixed, const int32_t *weights,
                                     struct rows in, uint8_t *out, int32_t rows)
{
    struct gemm g;
    struct gemm_bytes b;
    g.k = s->k;
    g.unroll = s->unroll;
    g.channels = s->out_channels;
    g.step = 1;
    g.form = s->form;
    g.params = s->params;
    g.shift = s->shift;
    g.left = s->left;
    g.is_signed = s->out_signed;
    g.low = s->low;
    g.high = s->high;
    b.row = s->in_row;
    b.parts = s->in_rows;
    b.is_signed = s->in_signed;
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t vector = 0; vector < s->vectors; vector++, out += s->out_channels) {
            const int32_t slot = in.top + row * s->in_rows;
            b.offset = vector * s->part;
            if (mixed) gemm_vector(&g, &b, &in, slot, weights, out);
            else gemm_vector_plain(&g, &b, &in, slot, weights, out);
        }
    }
}

/* Weights in mixed lanes. */
KERNEL void fully_connected_dsp(const struct fully_connected_dsp *s, const int32_t *weights, struct rows in, uint8_t *out,
                                int32_t rows)
{
    fully_connected_dsp_rows(s, 1, weights, in, out, rows);
}

/* Weights as bytes. */
KERNEL void fully_connected_dsp_plain(const struct fully_connected_dsp *s, const int32_t *weights, struct rows in,
                                      uint8_t *out, int32_t rows)
{
    fully_connected_dsp_rows(s, 0, weights, in, out, rows);
}
#endif
