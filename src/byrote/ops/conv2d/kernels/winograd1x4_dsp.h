/*
 * Convolution 3x3, stride 1, one output row at a time, by Winograd's F(4, 3) along it in exact integers: cores with the DSP
 * extension.
 *
 * Four outputs side by side cost 18 products instead of 36: six for each of the three input rows, which are summed before the
 * outputs are made.  Matrices as in winograd2x4_dsp.h, without those down the rows: filters U = w H', inputs V = d C',
 *
 *     24 * output = (sum over rows and channels of U * V) D'
 *
 * Lanes have 16 bits: |V| <= 255 * 10, and the packer proves that U fits.  Sums wrap modulo 2^32, the packer proves that the
 * last one does not.  Two tiles side by side are done together, 8 columns of outputs.
 *
 * Input, output, channels: as winograd2x4_dsp.h.
 * filters: per four output channels, each of the 6 numbers and each kernel row: per two input channels (c, c + 2), (c + 1, c + 3)
 *         four words, one per output channel.
 * scratch: 72 * in_channels bytes, then 6 * in_channels or 192, whatever is more; aligned to 4.
 */
#ifndef BYROTE_WINOGRAD1X4_DSP_H
#define BYROTE_WINOGRAD1X4_DSP_H
#include "winograd.h"

/* V of six pixels of one row at p.  Number i of words k goes to v[i * depth + 2 * k]. */
KERNEL void winograd1x4_dsp_input(const struct winograd_dsp *s, const uint8_t *p, dsp_word *v)
{
    const uint8_t *const end = p + s->in_channels;
    do {
#pragma GCC unroll 2
        for (int32_t half = 0; half < 2; half++, v += 2) {
            uint32_t d[6];
#pragma GCC unroll 6
            for (int32_t x = 0; x < 6; x++) d[x] = winograd_dsp_lanes(s, dsp_load32(p + x * s->in_channels), half);
            winograd_dsp_columns(d, s->depth, v);
        }
        p += 4;
    } while (p != end);
}

KERNEL void winograd1x4_dsp(const struct winograd_dsp *s, const int32_t *filters, const int32_t *channels, struct rows in,
                            uint8_t *out, uint8_t *scratch, int32_t rows)
{
    dsp_word *const v = (dsp_word *)(void *)scratch, *const m = v + 18 * s->in_channels;
    uint8_t *const patch = (uint8_t *)m; /* dead before the sums are made */
    const int32_t row_size = s->in_width * s->in_channels, record = s->output.form == DSP_OUTPUT_ROUND ? 4 : 2;
    for (int32_t j = 0; j < rows; j++, out += s->out_row) {
        for (int32_t x = 0; x < s->out_width; x += 8) {
            const int32_t tiles = x + 4 < s->out_width ? 2 : 1;
            for (int32_t q = 0; q < tiles; q++) {
                const int32_t left = x + 4 * q - s->pad_left;
                for (int32_t y = 0; y < 3; y++) {
                    const int32_t slot = in.top + j + y, there = slot >= in.first && slot < in.end;
                    const uint8_t *p = patch;
                    if (there && left >= 0 && left + 6 <= s->in_width) {
                        p = row_at(&in, slot, row_size) + left * s->in_channels;
                    } else {
                        winograd_dsp_patch(s, &in, slot, left, 1, 6, patch);
                    }
                    winograd1x4_dsp_input(s, p, v + y * s->in_channels + q);
                }
            }
            const int32_t *u = filters, *c = channels;
            for (int32_t n = 0; n < s->out_channels; n += 4, u += 36 * s->in_channels) {
                winograd_dsp_products(s, v, u, 6, m);
                for (int32_t i = 0; i < 4; i++, c += record) {
                    uint8_t *o = out + x * s->out_pixel + (n + i) * s->out_plane;
                    for (int32_t q = 0; q < tiles; q++, o += 4 * s->out_pixel) {
                        const int32_t columns = s->out_width - (x + 4 * q);
                        const dsp_word *const sums = m + 4 * q + i;
                        const uint32_t t[6] = {sums[0], sums[8], sums[16], sums[24], sums[32], sums[40]};
                        winograd_dsp_results(s, t, c, (s->out_width & 3) && columns < 4 ? columns - 1 : 3, 3, o);
                    }
                }
            }
        }
    }
}
#endif
