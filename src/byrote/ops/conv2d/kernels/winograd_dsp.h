/*
 * Convolution 3x3, stride 1, by Winograd's F(2x2, 3x3) in exact integers: cores with the DSP extension.
 *
 * Four outputs in a square cost 16 products instead of 36.  With the filter transform scaled by 4 all numbers are integers:
 *
 *     U = G w G', G = (2 0 0; 1 1 1; 1 -1 1; 0 0 2)                      at compile time, 16 numbers per filter
 *     V = B d B', B = (1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1)            16 numbers per square of 4x4 inputs
 *     4 * output = A (sum over channels of U * V) A', A = (1 1 1 0; 0 1 -1 -1)
 *
 * Lanes have 16 bits: |V| <= 1020, and the packer proves that U fits.  Sums wrap modulo 2^32, the packer proves that
 * the last one does not.  Two squares side by side are done together, 2 rows by 4 columns of outputs.
 *
 * Input:  pixels of channels (HWC), int8 or int8 + 128 as `is_signed` says, `zero` its zero point in all four bytes; a
 *         multiple of four channels.
 * Output: byte (row, channel, column) at row * out_row + channel * out_plane + column * out_pixel; a multiple of four channels.
 * filters: per four output channels and each of the 16 numbers: per two input channels (c, c + 2), (c + 1, c + 3) four words,
 *         one per output channel.
 * channels: per channel (bias, multiplier), for DSP_OUTPUT_ROUND also (add, shift).
 * scratch: 64 * in_channels bytes, then 16 * in_channels or 512, whatever is more; aligned to 4.
 */
#ifndef BYROTE_WINOGRAD_DSP_H
#define BYROTE_WINOGRAD_DSP_H
#include "winograd.h"

/* One row of B times four values. */
KERNEL uint32_t winograd_dsp_b(int32_t row, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    if (row == 0) return dsp_ssub16(a, c);
    if (row == 1) return dsp_sadd16(b, c);
    return row == 2 ? dsp_ssub16(c, b) : dsp_ssub16(b, d);
}

/* V of one square: rows at p0..p3, pixels in_channels apart.  Number i of words k goes to v[(i * words + k) * 2]. */
KERNEL void winograd_dsp_input(const struct winograd_dsp *s, const uint8_t *p0, const uint8_t *p1, const uint8_t *p2,
                               const uint8_t *p3, dsp_word *v)
{
    const int32_t pixel = s->in_channels, plane = s->in_channels; /* words of V per number, both squares */
    const uint8_t *const end = p0 + s->in_channels;
    do {
#pragma GCC unroll 2
        for (int32_t half = 0; half < 2; half++, v += 2) {
            uint32_t t[4][4];
#pragma GCC unroll 4
            for (int32_t x = 0; x < 4; x++) {
                const uint32_t a = winograd_dsp_lanes(s, dsp_load32(p0 + x * pixel), half);
                const uint32_t b = winograd_dsp_lanes(s, dsp_load32(p1 + x * pixel), half);
                const uint32_t c = winograd_dsp_lanes(s, dsp_load32(p2 + x * pixel), half);
                const uint32_t d = winograd_dsp_lanes(s, dsp_load32(p3 + x * pixel), half);
#pragma GCC unroll 4
                for (int32_t y = 0; y < 4; y++) t[y][x] = winograd_dsp_b(y, a, b, c, d);
            }
#pragma GCC unroll 4
            for (int32_t y = 0; y < 4; y++)
#pragma GCC unroll 4
                for (int32_t x = 0; x < 4; x++)
                    v[(4 * y + x) * plane] = winograd_dsp_b(x, t[y][0], t[y][1], t[y][2], t[y][3]);
        }
        p0 += 4;
        p1 += 4;
        p2 += 4;
        p3 += 4;
    } while (p0 != end);
}

/*
 * Four outputs of one channel and square.  m: its sums, 8 apart; c: constants of the channel.  `down` and `right`: bytes to
 * the lower and the right outputs, 0 where there are none: the output that does exist is stored over them.
 */
KERNEL void winograd_dsp_output(const struct winograd_dsp *s, const dsp_word *m, const int32_t *c, int32_t down,
                                int32_t right, uint8_t *out)
{
    const int32_t rounds = s->output.form == DSP_OUTPUT_ROUND;
    const int32_t multiplier = c[1], add = rounds ? c[2] : 0, shift = rounds ? c[3] : 0;
    uint32_t upper[4], lower[4];
#pragma GCC unroll 4
    for (int32_t x = 0; x < 4; x++) {
        /* The bias enters all four outputs through number (1, 1). */
        uint32_t m0 = m[8 * x], m1 = m[8 * (4 + x)], m2 = m[8 * (8 + x)], m3 = m[8 * (12 + x)];
        PIN4(m0, m1, m2, m3);
        if (x == 1) m1 += (uint32_t)c[0];
        upper[x] = m0 + m1 + m2;
        lower[x] = m1 - m2 - m3;
        PIN2(upper[x], lower[x]);
    }
#pragma GCC unroll 4
    for (int32_t i = 3; i >= 0; i--) {
        const uint32_t *const t = i & 2 ? lower : upper;
        int32_t sum = (int32_t)(i & 1 ? t[1] - t[2] - t[3] : t[0] + t[1] + t[2]);
        if (rounds) sum >>= 1;
        out[(i & 2 ? down : 0) + (i & 1 ? right : 0)] = dsp_output(&s->output, sum, multiplier, add, shift);
    }
}

KERNEL void winograd_dsp(const struct winograd_dsp *s, const int32_t *filters, const int32_t *channels, struct rows in,
                         uint8_t *out, uint8_t *scratch, int32_t rows)
{
    dsp_word *const v = (dsp_word *)(void *)scratch, *const m = v + 16 * s->in_channels;
    uint8_t *const patch = (uint8_t *)m; /* dead before the sums are made */
    const int32_t row_size = s->in_width * s->in_channels, record = s->output.form == DSP_OUTPUT_ROUND ? 4 : 2;
    /* An odd last row is a square whose lower outputs nobody wants: their input row need not be there. */
    if (in.end > in.top + rows + 2) in.end = in.top + rows + 2;
    for (int32_t j = 0; j < rows; j += 2, out += 2 * s->out_row) {
        const int32_t top = in.top + j, inside = top >= in.first && top + 4 <= in.end;
        const int32_t down = j + 1 < rows ? s->out_row : 0;
        for (int32_t x = 0; x < s->out_width; x += 4) {
            const int32_t squares = x + 2 < s->out_width ? 2 : 1;
            for (int32_t q = 0; q < squares; q++) {
                const int32_t left = x + 2 * q - s->pad_left;
                const uint8_t *p0, *p1, *p2, *p3; /* no array: pointers that move on the stack defeat the proof of one path */
                if (inside && left >= 0 && left + 4 <= s->in_width) {
                    p0 = row_at(&in, top, row_size) + left * s->in_channels;
                    p1 = row_at(&in, top + 1, row_size) + left * s->in_channels;
                    p2 = row_at(&in, top + 2, row_size) + left * s->in_channels;
                    p3 = row_at(&in, top + 3, row_size) + left * s->in_channels;
                } else {
                    winograd_dsp_patch(s, &in, top, left, 4, 4, patch);
                    p0 = patch;
                    p1 = p0 + 4 * s->in_channels;
                    p2 = p1 + 4 * s->in_channels;
                    p3 = p2 + 4 * s->in_channels;
                }
                winograd_dsp_input(s, p0, p1, p2, p3, v + q);
            }
            const int32_t *u = filters, *c = channels;
            for (int32_t n = 0; n < s->out_channels; n += 4, u += 32 * s->in_channels) {
                winograd_dsp_products(s, v, u, 16, m);
                for (int32_t i = 0; i < 4; i++, c += record) {
                    uint8_t *o = out + x * s->out_pixel + (n + i) * s->out_plane;
                    for (int32_t q = 0; q < squares; q++, o += 2 * s->out_pixel)
                        winograd_dsp_output(s, m + 4 * q + i, c, down, x + 2 * q + 1 < s->out_width ? s->out_pixel : 0, o);
                }
            }
        }
    }
}
#endif
