/*
 * Convolution 3x3, stride 1, by Winograd's F(2x4, 3x3) in exact integers: cores with the DSP extension.
 *
 * Eight outputs, two rows by four columns, cost 24 products instead of 72.  Down the rows it is F(2, 3) with points 0, 1, -1
 * (see winograd_dsp.h), along the columns F(4, 3) with points 0, 1, -1, 2, -2; all numbers are integers:
 *
 *     U = G w H', H = (6 0 0; 1 1 1; 1 -1 1; 1 2 4; 1 -2 4; 0 0 6)       at compile time, 24 numbers per filter
 *     V = B d C', C = (4  0 -5  0 1 0;                                   24 numbers per tile of 4x6 inputs
 *                      0 -4 -4  1 1 0;
 *                      0  4 -4 -1 1 0;
 *                      0 -2 -1  2 1 0;
 *                      0  2 -1 -2 1 0;
 *                      0  4  0 -5 0 1)
 *     48 * output = A (sum over channels of U * V) D', D = (1 -4 -4 1  1 0;
 *                                                           0 -4  4 2 -2 0;
 *                                                           0 -4 -4 4  4 0;
 *                                                           0 -4  4 8 -8 4)
 *
 * Lanes have 16 bits: |V| <= 2 * 255 * 10, and the packer proves that U fits.  Sums wrap modulo 2^32, the packer proves that
 * the last one does not.  Two tiles side by side are done together, 2 rows by 8 columns of outputs.
 *
 * Input:  pixels of channels (HWC), int8 or int8 + 128 as `is_signed` says, `zero` its zero point in all four bytes; a
 *         multiple of four channels.
 * Output: byte (row, channel, column) at row * out_row + channel * out_plane + column * out_pixel; a multiple of four channels.
 * filters: per four output channels and each of the 24 numbers: per two input channels (c, c + 2), (c + 1, c + 3) four words,
 *         one per output channel.
 * channels: per channel (bias, multiplier), for DSP_OUTPUT_ROUND also (add, shift).
 * scratch: 96 * in_channels bytes, then 24 * in_channels or 768, whatever is more; aligned to 4.
 */
#ifndef BYROTE_WINOGRAD2X4_DSP_H
#define BYROTE_WINOGRAD2X4_DSP_H
#include "winograd.h"

/* One line of V: pixels at p plus or minus those at q, which is line `line` of B. */
KERNEL void winograd2x4_dsp_line(const struct winograd_dsp *s, const uint8_t *p, const uint8_t *q, int32_t half, int32_t line,
                                 dsp_word *v)
{
    uint32_t d[6];
#pragma GCC unroll 6
    for (int32_t x = 0; x < 6; x++) {
        const uint32_t a = winograd_dsp_lanes(s, dsp_load32(p + x * s->in_channels), half);
        const uint32_t b = winograd_dsp_lanes(s, dsp_load32(q + x * s->in_channels), half);
        d[x] = line == 1 ? dsp_sadd16(a, b) : dsp_ssub16(a, b);
    }
    winograd_dsp_columns(d, s->in_channels, v + 6 * line * s->in_channels);
}

/* V of one tile: rows at p0..p3.  Number i of words k goes to v[(i * words + k) * 2], words = in_channels / 2. */
KERNEL void winograd2x4_dsp_input(const struct winograd_dsp *s, const uint8_t *p0, const uint8_t *p1, const uint8_t *p2,
                                  const uint8_t *p3, dsp_word *v)
{
    const uint8_t *const end = p0 + s->in_channels;
    do {
#pragma GCC unroll 2
        for (int32_t half = 0; half < 2; half++, v += 2) {
            winograd2x4_dsp_line(s, p0, p2, half, 0, v);
            winograd2x4_dsp_line(s, p1, p2, half, 1, v);
            winograd2x4_dsp_line(s, p2, p1, half, 2, v);
            winograd2x4_dsp_line(s, p1, p3, half, 3, v);
        }
        p0 += 4;
        p1 += 4;
        p2 += 4;
        p3 += 4;
    } while (p0 != end);
}

/* Eight outputs of one channel and tile.  m: its sums, 8 apart; `down`: bytes to the lower row, 0 where there is none. */
KERNEL void winograd2x4_dsp_output(const struct winograd_dsp *s, const dsp_word *m, const int32_t *c, int32_t down,
                                   int32_t last, uint8_t *out)
{
    uint32_t t[6];
#pragma GCC unroll 6
    for (int32_t x = 0; x < 6; x++) t[x] = m[8 * (6 + x)] - m[8 * (12 + x)] - m[8 * (18 + x)];
    winograd_dsp_results(s, t, c, last, 4, out + down);
#pragma GCC unroll 6
    for (int32_t x = 0; x < 6; x++) t[x] = m[8 * x] + m[8 * (6 + x)] + m[8 * (12 + x)];
    winograd_dsp_results(s, t, c, last, 4, out);
}

KERNEL void winograd2x4_dsp(const struct winograd_dsp *s, const int32_t *filters, const int32_t *channels, struct rows in,
                            uint8_t *out, uint8_t *scratch, int32_t rows)
{
    dsp_word *const v = (dsp_word *)(void *)scratch, *const m = v + 24 * s->in_channels;
    uint8_t *const patch = (uint8_t *)m; /* dead before the sums are made */
    const int32_t row_size = s->in_width * s->in_channels, record = s->output.form == DSP_OUTPUT_ROUND ? 4 : 2;
    /* An odd last row is a tile whose lower outputs nobody wants: their input row need not be there. */
    if (in.end > in.top + rows + 2) in.end = in.top + rows + 2;
    for (int32_t j = 0; j < rows; j += 2, out += 2 * s->out_row) {
        const int32_t top = in.top + j, inside = top >= in.first && top + 4 <= in.end;
        const int32_t down = j + 1 < rows ? s->out_row : 0;
        for (int32_t x = 0; x < s->out_width; x += 8) {
            const int32_t tiles = x + 4 < s->out_width ? 2 : 1;
            for (int32_t q = 0; q < tiles; q++) {
                const int32_t left = x + 4 * q - s->pad_left;
                const uint8_t *p0, *p1, *p2, *p3; /* no array: pointers that move on the stack defeat the proof of one path */
                if (inside && left >= 0 && left + 6 <= s->in_width) {
                    p0 = row_at(&in, top, row_size) + left * s->in_channels;
                    p1 = row_at(&in, top + 1, row_size) + left * s->in_channels;
                    p2 = row_at(&in, top + 2, row_size) + left * s->in_channels;
                    p3 = row_at(&in, top + 3, row_size) + left * s->in_channels;
                } else {
                    winograd_dsp_patch(s, &in, top, left, 4, 6, patch);
                    p0 = patch;
                    p1 = p0 + 6 * s->in_channels;
                    p2 = p1 + 6 * s->in_channels;
                    p3 = p2 + 6 * s->in_channels;
                }
                winograd2x4_dsp_input(s, p0, p1, p2, p3, v + q);
            }
            const int32_t *u = filters, *c = channels;
            for (int32_t n = 0; n < s->out_channels; n += 4, u += 48 * s->in_channels) {
                winograd_dsp_products(s, v, u, 24, m);
                for (int32_t i = 0; i < 4; i++, c += record) {
                    uint8_t *o = out + x * s->out_pixel + (n + i) * s->out_plane;
                    for (int32_t q = 0; q < tiles; q++, o += 4 * s->out_pixel) {
                        const int32_t there = s->out_width - (x + 4 * q);
                        winograd2x4_dsp_output(s, m + 4 * q + i, c, down, (s->out_width & 3) && there < 4 ? there - 1 : 3, o);
                    }
                }
            }
        }
    }
}
#endif
