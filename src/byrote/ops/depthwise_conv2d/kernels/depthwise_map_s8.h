/*
 * DEPTHWISE_CONV_2D with one output row, multiplier 1, of an input that arrives row by row, int8, plain C.
 *
 * `acc` is the state, aligned to 4: the row of the kernel that the next input row meets, then one sum per output
 * column and channel.  The count depends on the calls alone, never on data.
 * Weights: kh * kw * channels bytes.  `channels`: (bias, multiplier, shift) per channel.  Taps left and right of the
 * input are skipped.
 */
#ifndef BYROTE_DEPTHWISE_MAP_S8_H
#define BYROTE_DEPTHWISE_MAP_S8_H
#include "requant.h"
#include "rows.h"
#include "taps.h"
#include "words.h"

struct depthwise_map_s8 {
    int32_t in_width, out_width, channels;
    int32_t kernel_w, stride_w, dilation_w, pad_top, pad_left;
    int32_t input_zero, output_zero, low, high, single;
};

KERNEL void depthwise_map_s8_begin(const struct depthwise_map_s8 *s, const int8_t *weights, const int32_t *channels,
                                   uint8_t *acc)
{
    word *state = words(acc), *sums = state + 1;
    (void)weights;
    state[0] = s->pad_top;
    for (int32_t x = 0; x < s->out_width; x++) {
        for (int32_t i = 0; i < s->channels; i++) *sums++ = channels[3 * i];
    }
}

KERNEL void depthwise_map_s8(const struct depthwise_map_s8 *s, const int8_t *weights, const int32_t *channels,
                             struct rows in, uint8_t *acc, int32_t rows)
{
    word *state = words(acc);
    (void)channels;
    for (int32_t j = 0; j < rows; j++) {
        const int8_t *line = (const int8_t *)row_at(&in, in.top + j, s->in_width * s->channels);
        const int8_t *row = weights + state[0] * s->kernel_w * s->channels;
        for (int32_t x = 0; x < s->out_width; x++) {
            const int32_t left = x * s->stride_w - s->pad_left;
            const int32_t end = end_tap(left, s->dilation_w, s->in_width, s->kernel_w);
            for (int32_t k = first_tap(left, s->dilation_w, 0, s->kernel_w); k < end; k++) {
                const int8_t *p = line + (left + k * s->dilation_w) * s->channels, *w = row + k * s->channels;
                word *sums = state + 1 + x * s->channels;
                for (int32_t i = 0; i < s->channels; i++) sums[i] += (p[i] - s->input_zero) * w[i];
            }
        }
        state[0] += 1;
    }
}

KERNEL void depthwise_map_s8_finish(const struct depthwise_map_s8 *s, const int8_t *weights, const int32_t *channels,
                                    const uint8_t *acc, uint8_t *out)
{
    const word *sums = const_words(acc) + 1;
    (void)weights;
    for (int32_t x = 0; x < s->out_width; x++) {
        const int32_t *c = channels;
        for (int32_t i = 0; i < s->channels; i++, c += 3) {
            const int32_t q = requantize(*sums++, c[1], c[2], s->single) + s->output_zero;
            *out++ = (uint8_t)clamp(q, s->low, s->high);
        }
    }
}
#endif
