/*
 * DEPTHWISE_CONV_2D, int8, multiplier 1, plain C: four channels of one pixel at a time, then what remains one by one.
 *
 * Weights: per four channels kh * kw times four interleaved bytes; then kh * kw bytes per remaining channel.
 * `channels`: (bias, multiplier, shift) per channel.  Window taps outside the input are skipped.
 */
#ifndef BYROTE_DEPTHWISE_S8_H
#define BYROTE_DEPTHWISE_S8_H
#include "requant.h"
#include "rows.h"
#include "taps.h"

struct depthwise_s8 {
    int32_t in_width, out_width, channels;
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_left;
    int32_t input_zero, output_zero, low, high, single;
};

/* Requantise one channel: c = (bias, multiplier, shift). */
KERNEL uint8_t depthwise_s8_out(const struct depthwise_s8 *s, const int32_t *c, int32_t acc)
{
    const int32_t q = requantize(acc, c[1], c[2], s->single) + s->output_zero;
    return (uint8_t)clamp(q, s->low, s->high);
}

KERNEL void depthwise_s8(const struct depthwise_s8 *s, const int8_t *weights, const int32_t *channels, struct rows in,
                         uint8_t *out, int32_t rows)
{
    const int32_t row_size = s->in_width * s->channels, quads = s->channels >> 2, rest = s->channels & 3;
    const int32_t taps = s->kernel_h * s->kernel_w;
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
            for (int32_t q = 0; q < quads; q++, w += 4 * taps, c += 12) {
                int32_t a0 = c[0], a1 = c[3], a2 = c[6], a3 = c[9];
                for (int32_t ky = ky0; ky < ky1; ky++) {
                    const uint8_t *line = row_at(&in, top + ky * s->dilation_h, row_size) + 4 * q;
                    for (int32_t kx = kx0; kx < kx1; kx++) {
                        const int8_t *p = (const int8_t *)line + (left + kx * s->dilation_w) * s->channels;
                        const int8_t *v = w + 4 * (ky * s->kernel_w + kx);
                        a0 += (p[0] - s->input_zero) * v[0];
                        a1 += (p[1] - s->input_zero) * v[1];
                        a2 += (p[2] - s->input_zero) * v[2];
                        a3 += (p[3] - s->input_zero) * v[3];
                    }
                }
                *out++ = depthwise_s8_out(s, c, a0);
                *out++ = depthwise_s8_out(s, c + 3, a1);
                *out++ = depthwise_s8_out(s, c + 6, a2);
                *out++ = depthwise_s8_out(s, c + 9, a3);
            }
            for (int32_t r = 0; r < rest; r++, w += taps, c += 3) {
                int32_t a = c[0];
                for (int32_t ky = ky0; ky < ky1; ky++) {
                    const uint8_t *line = row_at(&in, top + ky * s->dilation_h, row_size) + 4 * quads + r;
                    for (int32_t kx = kx0; kx < kx1; kx++) {
                        const int8_t *p = (const int8_t *)line + (left + kx * s->dilation_w) * s->channels;
                        a += (p[0] - s->input_zero) * w[ky * s->kernel_w + kx];
                    }
                }
                *out++ = depthwise_s8_out(s, c, a);
            }
        }
    }
}
#endif
