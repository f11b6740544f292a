/*
 * CONV_2D, int8, plain C: four output channels of one pixel at a time.  Correct on every core; the yardstick for the
 * fast kernels, not one of them.
 *
 * Weights: per group, per four output channels: kh * kw * in_channels times four interleaved bytes; missing channels of
 * the last four are zero.  `channels`: (bias, multiplier, shift) per output channel, padded the same way.
 * Window taps outside the input are skipped.
 */
#ifndef BYROTE_CONV2D_S8_H
#define BYROTE_CONV2D_S8_H
#include "requant.h"
#include "rows.h"
#include "taps.h"

struct conv2d_s8 {
    int32_t in_width, in_pixel, in_channels; /* columns; bytes per pixel; channels that one group reads */
    int32_t out_width, out_channels, groups; /* columns; channels per group */
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_left;
    int32_t input_zero, output_zero, low, high, single;
};

/* Requantise one channel: c = (bias, multiplier, shift). */
KERNEL uint8_t conv2d_out(const struct conv2d_s8 *s, const int32_t *c, int32_t acc)
{
    const int32_t q = requantize(acc, c[1], c[2], s->single) + s->output_zero;
    return (uint8_t)clamp(q, s->low, s->high);
}

KERNEL void conv2d_s8(const struct conv2d_s8 *s, const int8_t *weights, const int32_t *channels, struct rows in,
                      uint8_t *out, int32_t rows)
{
    const int32_t row_size = s->in_width * s->in_pixel, quads = (s->out_channels + 3) >> 2;
    const int32_t tap = 4 * s->in_channels;
    for (int32_t j = 0; j < rows; j++) {
        const int32_t top = in.top + j * s->stride_h;
        const int32_t ky0 = first_tap(top, s->dilation_h, in.first, s->kernel_h);
        const int32_t ky1 = end_tap(top, s->dilation_h, in.end, s->kernel_h);
        for (int32_t x = 0; x < s->out_width; x++) {
            const int32_t left = x * s->stride_w - s->pad_left;
            const int32_t kx0 = first_tap(left, s->dilation_w, 0, s->kernel_w);
            const int32_t kx1 = end_tap(left, s->dilation_w, s->in_width, s->kernel_w);
            const int8_t *w = weights;
            const int32_t *c = channels;
            for (int32_t g = 0; g < s->groups; g++) {
                for (int32_t q = 0; q < quads; q++, w += s->kernel_h * s->kernel_w * tap, c += 12) {
                    int32_t a0 = c[0], a1 = c[3], a2 = c[6], a3 = c[9];
                    for (int32_t ky = ky0; ky < ky1; ky++) {
                        const uint8_t *line = row_at(&in, top + ky * s->dilation_h, row_size) + g * s->in_channels;
                        for (int32_t kx = kx0; kx < kx1; kx++) {
                            const int8_t *p = (const int8_t *)line + (left + kx * s->dilation_w) * s->in_pixel;
                            const int8_t *v = w + (ky * s->kernel_w + kx) * tap;
                            for (int32_t i = 0; i < s->in_channels; i++, v += 4) {
                                const int32_t d = p[i] - s->input_zero;
                                a0 += d * v[0];
                                a1 += d * v[1];
                                a2 += d * v[2];
                                a3 += d * v[3];
                            }
                        }
                    }
                    const int32_t left_over = s->out_channels - 4 * q;
                    *out++ = conv2d_out(s, c, a0);
                    if (left_over > 1) *out++ = conv2d_out(s, c + 3, a1);
                    if (left_over > 2) *out++ = conv2d_out(s, c + 6, a2);
                    if (left_over > 3) *out++ = conv2d_out(s, c + 9, a3);
                }
            }
        }
    }
}
#endif
