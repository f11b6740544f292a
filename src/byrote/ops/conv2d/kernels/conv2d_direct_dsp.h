/*
 * CONV_2D, int8, for cores with the DSP extension, without scratch: one output pixel and eight channels at a time, bytes
 * extended to 16-bit lanes as they are multiplied (gemm.h, gemm_vector's table).  About an eighth slower than
 * conv2d_dsp, which expands two windows first.  Any kernel, stride and dilation, one group; rows of pixels.
 *
 * Order of the K products: kernel rows, in each the runs of bytes that lie together in memory (all taps of the row if the
 * dilation is 1, else one tap each), every run filled up to `run` products with zero weights.  Taps outside the input are
 * skipped, so there the stored zero point must be 0 and a tap a multiple of 4 bytes; `unroll` divides whatever is left.
 */
#ifndef BYROTE_CONV2D_DIRECT_DSP_H
#define BYROTE_CONV2D_DIRECT_DSP_H
#include "gemm.h"

struct conv2d_direct_dsp {
    int32_t in_width, in_channels, in_signed;
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_left, padded;
    int32_t out_width, out_row, out_pixel, out_step; /* columns; bytes of a row, from pixel to pixel, channel to channel */
    int32_t out_channels, out_signed, low, high;     /* low, high: of the stored result */
    int32_t run;                                     /* products of a run */
    int32_t k, unroll, form, params, shift, left;    /* see struct gemm */
};

/* All channels of one output pixel, whose window begins in slot `top` and column `column`. */
KERNEL void conv2d_direct_pixel(const struct conv2d_direct_dsp *s, const struct gemm *g, const struct rows *in, int32_t top,
                                int32_t column, const int32_t *weights, uint8_t *out)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, in_row = s->in_width * s->in_channels;
    const int32_t ragged = s->out_channels & 7;
    const int32_t *w = weights, *group[1];
    uint8_t *o[1] = {out};
    int32_t left[1] = {s->out_channels};
    do {
        int32_t a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3], b0 = w[4], b1 = w[5], b2 = w[6], b3 = w[7];
        uint32_t v, t, w0, w1;
        IN_MEMORY(o);
        IN_MEMORY(left);
        group[0] = w;
        for (int32_t ky = 0; ky < s->kernel_h; ky++) {
            const int32_t slot = top + ky * s->dilation_h;
            if (s->padded && (slot < in->first || slot >= in->end)) continue;
            for (int32_t kx = 0; kx < s->kernel_w; kx += taps) {
                const int32_t tap = column + kx * s->dilation_w;
                int32_t lead = 0, size = s->run;
                if (s->padded) {
                    int32_t end = s->in_width - tap;
                    lead = tap < 0 ? -tap : 0;
                    end = end < taps ? end : taps;
                    if (lead >= end) continue;
                    size = (end - lead) * s->in_channels;
                }
                const uint8_t *x = row_at(in, slot, in_row) + (tap + lead) * s->in_channels;
                const uint8_t *stop[1] = {x + size};
                IN_MEMORY(stop);
                IN_MEMORY(group);
                w = group[0] + 2 * (ky * s->run * (taps == 1 ? s->kernel_w : 1) + (taps == 1 ? kx * s->run : 0) +
                                    lead * s->in_channels);
                do {
                    if (s->in_signed) {
                        GEMM_TURN_BYTES(DSP_BYTES_1X8, sxtb16)
                    } else {
                        GEMM_TURN_BYTES(DSP_BYTES_1X8, uxtb16)
                    }
                    x += s->unroll;
                    w += 2 * s->unroll;
                } while (x != stop[0]);
            }
        }
        uint8_t *p = o[0];
        const int32_t some = ragged ? left[0] : 8;
        w = group[0] + 8 + 2 * s->k;
        gemm_store_eight(g, w, a0, a1, a2, a3, b0, b1, b2, b3, some, p);
        o[0] = p + 8 * s->out_step;
        left[0] -= 8;
        w += 8 * s->params;
    } while (left[0] > 0);
}

KERNEL void conv2d_direct_dsp(const struct conv2d_direct_dsp *s, const int32_t *weights, struct rows in, uint8_t *out,
                              int32_t rows)
{
    struct gemm g;
    g.k = s->k;
    g.unroll = s->unroll;
    g.channels = s->out_channels;
    g.step = s->out_step;
    g.form = s->form;
    g.params = s->params;
    g.shift = s->shift;
    g.left = s->left;
    g.is_signed = s->out_signed;
    g.low = s->low;
    g.high = s->high;
    for (int32_t row = 0; row < rows; row++) {
        uint8_t *p = out + row * s->out_row;
        for (int32_t x = 0; x < s->out_width; x++, p += s->out_pixel) {
            const int32_t top = in.top + row * s->stride_h;
            conv2d_direct_pixel(s, &g, &in, top, x * s->stride_w - s->pad_left, weights, p);
        }
    }
}
#endif
