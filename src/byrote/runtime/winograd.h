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
    int32_t depth; /* values that are multiplied for each number: input channels, times three in winograd1x4_dsp */
    int32_t is_signed, zero;
    int32_t chunk; /* words of values per turn of the inner loop: 2, 4 or 8, a divisor of depth / 2 */
    int32_t out_row, out_plane, out_pixel;
    struct dsp_output output;
};

KERNEL uint32_t winograd_dsp_lanes(const struct winograd_dsp *s, uint32_t v, int32_t half)
{
    if (s->is_signed) return half ? dsp_sxtb16_ror8(v) : dsp_sxtb16(v);
    return half ? dsp_uxtb16_ror8(v) : dsp_uxtb16(v);
}

/*
 * Copies the `height` rows by `columns` pixels that begin at slot `top`, column `left`, to `patch`, the zero point where there is no
 * input.
 */
KERNEL void winograd_dsp_patch(const struct winograd_dsp *s, const struct rows *in, int32_t top, int32_t left, int32_t height,
                               int32_t columns, uint8_t *patch)
{
    for (int32_t y = 0; y < height; y++) {
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

/* The input transform of F(4, 3), matrix C of winograd2x4_dsp.h: six values to six numbers, `plane` words apart. */
KERNEL void winograd_dsp_columns(const uint32_t *d, int32_t plane, dsp_word *v)
{
    const uint32_t c = dsp_ssub16(d[4], d[2]), e = dsp_ssub16(d[3], d[1]), twice_e = dsp_sadd16(e, e);
    uint32_t a, b, f;
    v[3 * plane] = dsp_sadd16(c, twice_e);
    v[4 * plane] = dsp_ssub16(c, twice_e);
    v[5 * plane] = dsp_ssub16(dsp_ssub16(dsp_ssub16(d[5], d[3]), twice_e), twice_e);
    f = dsp_ssub16(d[0], d[2]);
    f = dsp_sadd16(f, f);
    v[0] = dsp_sadd16(dsp_sadd16(f, f), c);
    a = dsp_ssub16(dsp_ssub16(dsp_ssub16(c, d[2]), d[2]), d[2]);
    b = dsp_ssub16(dsp_ssub16(dsp_ssub16(e, d[1]), d[1]), d[1]);
    v[plane] = dsp_sadd16(a, b);
    v[2 * plane] = dsp_ssub16(a, b);
}

/* The sums of all `numbers` of four output channels for both tiles: m[8 * i + 4 * tile + channel]. */
KERNEL void winograd_dsp_products(const struct winograd_dsp *s, const dsp_word *v, const int32_t *u, int32_t numbers, dsp_word *m)
{
    /* What the inner loop does not need lies in memory while it runs. */
    dsp_word *to[2] = {m, m + 8 * numbers};
    const dsp_word *v_end[1] = {v + s->depth};
    const int32_t one = 2 * s->chunk == s->depth; /* no inner loop */
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
        v_end[0] = v + s->depth;
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

/*
 * Four outputs side by side of one channel by F(4, 3): matrix D of winograd2x4_dsp.h times six sums in t.  c: constants of the
 * channel; `last`: the last column that exists, the columns beyond it are stored below it first; what comes out are
 * 3 * 2^scale times the true sums, DSP_OUTPUT_ROUND wants them twice.
 */
KERNEL void winograd_dsp_results(const struct winograd_dsp *s, const uint32_t *t, const int32_t *c, int32_t last,
                                 int32_t scale, uint8_t *out)
{
    const int32_t rounds = s->output.form == DSP_OUTPUT_ROUND;
    const int32_t multiplier = c[1], add = rounds ? c[2] : 0, shift = rounds ? c[3] : 0;
    const uint32_t bias = (uint32_t)c[0];
    const uint32_t p = t[1] + t[2], q = t[1] - t[2], r = t[3] + t[4], w = t[3] - t[4];
    const uint32_t sums[4] = {bias + (t[0] + r - 4 * p), bias + 2 * (w - 2 * q), bias + 4 * (r - p),
                              bias + 4 * (t[5] - q + 2 * w)};
#pragma GCC unroll 4
    for (int32_t x = 3; x >= 0; x--) {
        int32_t sum = (int32_t)sums[x];
        if (rounds) sum = (int32_t)((uint32_t)(sum >> (scale - 1)) * 0xaaaaaaabu); /* the inverse of 3 modulo 2^32 */
        out[(x < last ? x : last) * s->out_pixel] = dsp_output(&s->output, sum, multiplier, add, shift);
    }
}
#endif
