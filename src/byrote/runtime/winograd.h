/*
 * What Winograd's convolutions in exact integers share (ops/conv2d/kernels/winograd*.h): tiles of two output rows whose
 * inputs and filters are transformed to a few numbers each; the products of those, summed over the input channels, give the
 * outputs back.  Two tiles are done together.
 */
#ifndef BYROTE_WINOGRAD_H
#define BYROTE_WINOGRAD_H
#include "dsp.h"
#include "dsp_output.h"
#include "rows.h"

struct winograd_dsp {
    int32_t in_width, in_channels, out_width, out_channels, pad_left;
    int32_t is_signed, zero;
    int32_t chunk; /* words of channels per turn of the inner loop: 2, 4 or 8, a divisor of in_channels / 2 */
    int32_t out_row, out_plane, out_pixel;
    struct dsp_output output;
};

KERNEL uint32_t winograd_dsp_lanes(const struct winograd_dsp *s, uint32_t v, int32_t half)
{
    if (s->is_signed) return half ? dsp_sxtb16_ror8(v) : dsp_sxtb16(v);
    return half ? dsp_uxtb16_ror8(v) : dsp_uxtb16(v);
}

/*
 * Copies the 4 rows by `columns` pixels that begin at slot `top`, column `left`, to `patch`, the zero point where there is no
 * input.
 */
KERNEL void winograd_dsp_patch(const struct winograd_dsp *s, const struct rows *in, int32_t top, int32_t left, int32_t columns,
                               uint8_t *patch)
{
    for (int32_t y = 0; y < 4; y++) {
        const int32_t slot = top + y, outside = slot < in->first || slot >= in->end;
        const uint8_t *const row = row_at(in, outside ? in->first : slot, s->in_width * s->in_channels);
        for (int32_t x = left; x < left + columns; x++, patch += s->in_channels) {
            const int32_t absent = outside || x < 0 || x >= s->in_width;
            const uint8_t *const pixel = absent ? row : row + x * s->in_channels;
            for (int32_t c = 0; c < s->in_channels; c += 4)
                dsp_store32(patch + c, absent ? (uint32_t)s->zero : dsp_load32(pixel + c));
        }
    }
}

/* The sums of all `numbers` of four output channels for both tiles: m[8 * i + 4 * tile + channel]. */
KERNEL void winograd_dsp_products(const struct winograd_dsp *s, const dsp_word *v, const int32_t *u, int32_t numbers, dsp_word *m)
{
    /* What the inner loop does not need lies in memory while it runs. */
    dsp_word *to[2] = {m, m + 8 * numbers};
    const dsp_word *v_end[1] = {v + s->in_channels};
    const int32_t one = 2 * s->chunk == s->in_channels; /* no inner loop */
    do {
        int32_t a0, a1, a2, a3, b0, b1, b2, b3;
        IN_MEMORY(to);
        if (!one) {
            IN_MEMORY(v_end);
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0;
        }
        do {
            /* Offsets have to be constants also where the compiler does not unroll. */
            if (one) DSP_FIRST_PRODUCTS_2X4(v, u, a0, a1, a2, a3, b0, b1, b2, b3);
            else DSP_PRODUCTS_2X4(v, u, 0, a0, a1, a2, a3, b0, b1, b2, b3);
            DSP_PRODUCTS_2X4(v, u, 1, a0, a1, a2, a3, b0, b1, b2, b3);
            if (s->chunk > 2) {
                DSP_PRODUCTS_2X4(v, u, 2, a0, a1, a2, a3, b0, b1, b2, b3);
                DSP_PRODUCTS_2X4(v, u, 3, a0, a1, a2, a3, b0, b1, b2, b3);
            }
            if (s->chunk > 4) {
                DSP_PRODUCTS_2X4(v, u, 4, a0, a1, a2, a3, b0, b1, b2, b3);
                DSP_PRODUCTS_2X4(v, u, 5, a0, a1, a2, a3, b0, b1, b2, b3);
                DSP_PRODUCTS_2X4(v, u, 6, a0, a1, a2, a3, b0, b1, b2, b3);
                DSP_PRODUCTS_2X4(v, u, 7, a0, a1, a2, a3, b0, b1, b2, b3);
            }
            v += 2 * s->chunk;
            u += 4 * s->chunk;
        } while (!one && v != v_end[0]);
        v_end[0] = v + s->in_channels;
        m = to[0];
        m[0] = (uint32_t)a0;
        m[1] = (uint32_t)a1;
        m[2] = (uint32_t)a2;
        m[3] = (uint32_t)a3;
        m[4] = (uint32_t)b0;
        m[5] = (uint32_t)b1;
        m[6] = (uint32_t)b2;
        m[7] = (uint32_t)b3;
        to[0] = m + 8;
    } while (to[0] != to[1]);
}
#endif
