/*
 * Depthwise convolution, any kernel, stride, dilation and padding, multiplier 1, pixels of channels (HWC): cores with
 * the DSP extension.  Four channels in two registers of two lanes, one or two neighbouring outputs at a time.
 *
 * A window is taken apart into lines of taps that lie at equal distances: the columns of one kernel row, or, for kernels
 * of one column on inputs of one column, the rows.  Taps outside the input see the zero point, or are skipped if that
 * is 0.  The last pixel of the input may be read up to three bytes past its end.
 *
 * Input:  int8, or int8 + 128, as `is_signed` says; `zero` is its zero point in all four bytes of a word.
 * Output: byte (row, channel, column) at row * out_row + channel * out_plane + column * out_pixel.
 * weights: per four channels and tap two words of lanes, channels (0, 2) and (1, 3), scaled as ops/dsp_output.py says;
 *         channels that do not exist are 0.
 * channels: per channel (bias, multiplier), for DSP_OUTPUT_ROUND also (add, shift); the zero point is in the bias.
 */
#ifndef BYROTE_DEPTHWISE_DSP_H
#define BYROTE_DEPTHWISE_DSP_H
#include "dsp.h"
#include "dsp_output.h"
#include "rows.h"

struct depthwise_dsp {
    int32_t in_width, out_width, channels;
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_left;
    int32_t is_signed, zero;
    int32_t out_row, out_plane, out_pixel;
    struct dsp_output output;
};

/* The axis along which taps of a line lie: window o begins at start + o * stride, positions are `size` bytes apart. */
struct depthwise_axis {
    int32_t start, stride, dilation, taps, size;
};

KERNEL uint32_t depthwise_dsp_even(const struct depthwise_dsp *s, uint32_t v)
{
    return s->is_signed ? dsp_sxtb16(v) : dsp_uxtb16(v);
}

KERNEL uint32_t depthwise_dsp_odd(const struct depthwise_dsp *s, uint32_t v)
{
    return s->is_signed ? dsp_sxtb16_ror8(v) : dsp_uxtb16_ror8(v);
}

/* Whether the taps of all windows from `start` to `last` exist and lie at equal distances. */
KERNEL int32_t depthwise_dsp_regular(const struct depthwise_axis *x, const struct rows *line, int32_t start, int32_t last)
{
    const int32_t end = last + (x->taps - 1) * x->dilation + 1;
    return start >= line->first && end <= line->end && (start >= line->held || end <= line->held);
}

/* Four channels at a position of a line: from the p + offset of a regular one, else where it lies, or the zero point. */
KERNEL uint32_t depthwise_dsp_pixel(const struct depthwise_dsp *s, const struct depthwise_axis *x, const struct rows *line,
                                    int32_t slot, int32_t regular, const uint8_t *p, int32_t offset)
{
    if (regular) return dsp_load32(p + offset);
    return slot < line->first || slot >= line->end ? (uint32_t)s->zero : dsp_load32(row_at(line, slot, x->size));
}

/* One line of one output. */
KERNEL void depthwise_dsp_line1(const struct depthwise_dsp *s, const struct depthwise_axis *x, const struct rows *line,
                                int32_t start, int32_t regular, const int32_t *w, int32_t a[4])
{
    const uint8_t *const p = row_at(line, regular ? start : 0, x->size);
    const int32_t step = x->dilation * x->size;
#pragma GCC unroll 16
    for (int32_t k = 0; k < x->taps; k++) {
        const uint32_t v = depthwise_dsp_pixel(s, x, line, start + k * x->dilation, regular, p, k * step);
        const uint32_t w02 = (uint32_t)w[2 * k], w13 = (uint32_t)w[2 * k + 1];
        const uint32_t even = depthwise_dsp_even(s, v), odd = depthwise_dsp_odd(s, v);
        a[0] = dsp_smlabb(even, w02, a[0]);
        a[2] = dsp_smlatt(even, w02, a[2]);
        a[1] = dsp_smlabb(odd, w13, a[1]);
        a[3] = dsp_smlatt(odd, w13, a[3]);
        PIN4(a[0], a[1], a[2], a[3]);
    }
}

/* One line of two neighbouring outputs.  If they are as far apart as the taps, each pixel is unpacked once. */
KERNEL void depthwise_dsp_line2(const struct depthwise_dsp *s, const struct depthwise_axis *x, const struct rows *line,
                                int32_t start, int32_t regular, const int32_t *w, int32_t a[4], int32_t b[4])
{
    const uint8_t *const p = row_at(line, regular ? start : 0, x->size);
    const int32_t step = x->dilation * x->size, gap = x->stride * x->size, slides = x->dilation == x->stride;
    uint32_t v = depthwise_dsp_pixel(s, x, line, start, regular, p, 0);
    uint32_t even = depthwise_dsp_even(s, v), odd = depthwise_dsp_odd(s, v);
#pragma GCC unroll 16
    for (int32_t k = 0; k < x->taps; k++) {
        const int32_t slot = start + k * x->dilation;
        if (k && !slides) {
            v = depthwise_dsp_pixel(s, x, line, slot, regular, p, k * step);
            even = depthwise_dsp_even(s, v);
            odd = depthwise_dsp_odd(s, v);
        }
        uint32_t u = depthwise_dsp_pixel(s, x, line, slot + x->stride, regular, p, k * step + gap);
        uint32_t weights = (uint32_t)w[2 * k];
        PIN2(u, weights);
        a[0] = dsp_smlabb(even, weights, a[0]);
        a[2] = dsp_smlatt(even, weights, a[2]);
        even = depthwise_dsp_even(s, u);
        b[0] = dsp_smlabb(even, weights, b[0]);
        b[2] = dsp_smlatt(even, weights, b[2]);
        weights = (uint32_t)w[2 * k + 1];
        PIN1(weights);
        a[1] = dsp_smlabb(odd, weights, a[1]);
        a[3] = dsp_smlatt(odd, weights, a[3]);
        odd = depthwise_dsp_odd(s, u);
        b[1] = dsp_smlabb(odd, weights, b[1]);
        b[3] = dsp_smlatt(odd, weights, b[3]);
        PIN8(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);
        PIN2(even, odd);
    }
}

/* One line of one or two outputs. */
KERNEL void depthwise_dsp_lines(const struct depthwise_dsp *s, const struct depthwise_axis *x, const struct rows *line,
                                int32_t start, int32_t two, int32_t regular, const int32_t *w, int32_t a[4], int32_t b[4])
{
    if (two) {
        if (regular) depthwise_dsp_line2(s, x, line, start, 1, w, a, b);
        else depthwise_dsp_line2(s, x, line, start, 0, w, a, b);
    } else {
        if (regular) depthwise_dsp_line1(s, x, line, start, 1, w, a);
        else depthwise_dsp_line1(s, x, line, start, 0, w, a);
    }
}

/* All lines of one or two outputs of one row whose windows begin at slot `top`, column `left`. */
KERNEL void depthwise_dsp_window(const struct depthwise_dsp *s, const struct depthwise_axis *x, const struct rows *in,
                                 int32_t top, int32_t left, int32_t two, int32_t regular, const int32_t *w, int32_t a[4],
                                 int32_t b[4])
{
#pragma GCC unroll 4
    for (int32_t ky = 0; ky < s->kernel_h; ky++, w += 2 * s->kernel_w) {
        const int32_t slot = top + ky * s->dilation_h, outside = slot < in->first || slot >= in->end;
        if (outside && !s->zero) continue;
        if (outside) {
            const struct rows none = rows_of(in->fresh, in->fresh, 0, 0, 0, 0);
            depthwise_dsp_lines(s, x, &none, left, two, 0, w, a, b);
        } else {
            const uint8_t *const row = row_at(in, slot, s->in_width * s->channels);
            const struct rows line = rows_of(row, row, 0, 0, 0, s->in_width);
            depthwise_dsp_lines(s, x, &line, left, two, regular, w, a, b);
        }
    }
}

/* Four channels of one output; c: their constants; `count` of them exist. */
KERNEL void depthwise_dsp_store(const struct depthwise_dsp *s, const int32_t *c, int32_t count, const int32_t a[4],
                                uint8_t *out)
{
    const int32_t rounds = s->output.form == DSP_OUTPUT_ROUND, size = rounds ? 4 : 2;
#pragma GCC unroll 4
    for (int32_t i = 0; i < 4; i++, c += size)
        if (i < count) out[i * s->out_plane] = dsp_output(&s->output, a[i], c[1], rounds ? c[2] : 0, rounds ? c[3] : 0);
}

/* Four channels (`count` exist) of all outputs along one axis: a row of columns, or a column of rows. */
KERNEL void depthwise_dsp_outputs(const struct depthwise_dsp *s, const struct depthwise_axis *x, int32_t outputs,
                                  const struct rows *in, int32_t vertical, int32_t top, int32_t count, const int32_t *w,
                                  const int32_t *c, uint8_t *out)
{
    const int32_t next = vertical ? s->out_row : s->out_pixel, record = s->output.form == DSP_OUTPUT_ROUND ? 4 : 2;
    const struct rows columns = rows_of(in->fresh, in->fresh, 0, 0, 0, s->in_width);
    for (int32_t o = 0; o < outputs; o += 2, out += 2 * next) {
        const int32_t start = x->start + o * x->stride, two = o + 1 < outputs;
        POINTED_IN_MEMORY(w); /* weights are read where they are used, not kept from output to output */
        const int32_t regular = depthwise_dsp_regular(x, vertical ? in : &columns, start, start + (two ? x->stride : 0));
        int32_t a[4] = {c[0], c[record], c[2 * record], c[3 * record]}, b[4] = {a[0], a[1], a[2], a[3]};
        if (vertical) depthwise_dsp_lines(s, x, in, start, two, regular, w, a, b);
        else depthwise_dsp_window(s, x, in, top, start, two, regular, w, a, b);
        depthwise_dsp_store(s, c, count, a, out);
        if (two) depthwise_dsp_store(s, c, count, b, out + next);
    }
}

KERNEL void depthwise_dsp(const struct depthwise_dsp *s, const int32_t *weights, const int32_t *channels, struct rows in,
                          uint8_t *out, int32_t rows)
{
    const int32_t vertical = s->in_width == 1 && s->kernel_w == 1 && s->out_width == 1;
    const int32_t record = s->output.form == DSP_OUTPUT_ROUND ? 4 : 2;
    const struct depthwise_axis down = {in.top, s->stride_h, s->dilation_h, s->kernel_h, s->channels};
    const struct depthwise_axis across = {-s->pad_left, s->stride_w, s->dilation_w, s->kernel_w, s->channels};
    for (int32_t j = 0; j < (vertical ? 1 : rows); j++, out += s->out_row) {
        const int32_t *w = weights, *c = channels;
        struct rows at = in;
        uint8_t *o = out;
        for (int32_t left = s->channels; left > 0; left -= 4, o += 4 * s->out_plane) {
            depthwise_dsp_outputs(s, vertical ? &down : &across, vertical ? rows : s->out_width, &at, vertical,
                                  in.top + j * s->stride_h, left, w, c, o);
            w += 2 * s->kernel_h * s->kernel_w;
            c += 4 * record;
            at.kept += 4;
            at.fresh += 4;
        }
    }
}
#endif
