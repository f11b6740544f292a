/*
 * CONV_2D, int8, for cores with the DSP extension, with little scratch: the window of one output pixel is copied as bytes,
 * then multiplied, eight channels at a time, bytes extended to 16-bit lanes as they are multiplied (gemm_vector).  About a
 * quarter slower than conv2d_dsp where there are many channels.  Any kernel, stride, dilation and padding, one group; rows
 * of pixels.
 *
 * Order of the K products: kernel rows, taps, channels, then zero weights up to a multiple of `unroll`, for which scratch
 * is read that nobody wrote.  Taps outside the input read the zero point; nothing is read beyond the input.
 *
 * Scratch: K bytes, aligned to 4.
 */
#ifndef BYROTE_CONV2D_WINDOW_DSP_H
#define BYROTE_CONV2D_WINDOW_DSP_H
#include "gemm.h"

struct conv2d_window_dsp {
    int32_t in_width, in_channels, in_signed, in_zero; /* columns, channels; kind and zero point of the stored bytes */
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_left, padded;
    int32_t out_width, out_row, out_pixel, out_step; /* columns; bytes of a row, from pixel to pixel, channel to channel */
    int32_t out_channels, out_signed, low, high;     /* low, high: of the stored result */
    int32_t k, unroll, form, params, shift, left;    /* see struct gemm */
};

/* By words, the last of which may overlap the one before; the fences keep loops from becoming calls of memcpy. */
KERNEL void conv2d_window_copy(uint8_t *to, const uint8_t *from, int32_t bytes)
{
    if (bytes < 4) {
        for (int32_t i = 0; i < bytes; i++) {
            to[i] = from[i];
            POINTED_IN_MEMORY(to);
        }
        return;
    }
    int32_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint32_t a = dsp_load32(from + i), b = dsp_load32(from + i + 4);
        PIN2(a, b); /* two loads in a row */
        dsp_store32(to + i, a);
        dsp_store32(to + i + 4, b);
    }
    if (bytes & 4) dsp_store32(to + i, dsp_load32(from + i));
    if (bytes & 3) dsp_store32(to + bytes - 4, dsp_load32(from + bytes - 4));
}

/* The zero point in each of `bytes` bytes. */
KERNEL void conv2d_window_fill(const struct conv2d_window_dsp *s, uint8_t *to, int32_t bytes)
{
    uint32_t zero = ((uint32_t)s->in_zero & 0xffu) * 0x01010101u;
    PIN1(zero);
    for (; bytes >= 4; bytes -= 4, to += 4) dsp_store32(to, zero);
    for (; bytes > 0; bytes--) {
        *to = (uint8_t)(zero & 0xffu);
        POINTED_IN_MEMORY(to);
        to++;
    }
}

/* Taps in a row of the kernel, whose first lies in column `first` of `line`; `inside`: they all lie in the input. */
KERNEL void conv2d_window_row(const struct conv2d_window_dsp *s, const uint8_t *line, int32_t first, int32_t inside, uint8_t *to)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, c = s->in_channels; /* taps that lie together */
    int32_t tap = first;
    for (int32_t kx = 0; kx < s->kernel_w; kx += taps, tap += s->dilation_w, to += taps * c) {
        if (inside) {
            conv2d_window_copy(to, line + tap * c, taps * c);
            continue;
        }
        const int32_t lead = tap < 0 ? -tap : 0, end = s->in_width - tap < taps ? s->in_width - tap : taps;
        conv2d_window_fill(s, to, taps * c);
        if (lead < end) conv2d_window_copy(to + lead * c, line + (tap + lead) * c, (end - lead) * c);
    }
}

/* The window that begins in slot `top` and column `first`. */
KERNEL void conv2d_window(const struct conv2d_window_dsp *s, const struct rows *in, int32_t top, int32_t first, uint8_t *to)
{
    const int32_t in_row = s->in_width * s->in_channels, size = s->kernel_w * s->in_channels, step = s->dilation_h;
    const int32_t columns = !s->padded || (first >= 0 && first + (s->kernel_w - 1) * s->dilation_w < s->in_width);
    const int32_t slots = !s->padded || (top >= in->first && top + (s->kernel_h - 1) * step < in->end);
    if (columns && slots) {
        const uint8_t *line = row_at(in, top, in_row);
        for (int32_t ky = 0; ky < s->kernel_h; ky++, to += size)
            conv2d_window_row(s, in->held ? row_at(in, top + ky * step, in_row) : line + ky * step * in_row, first, 1, to);
        return;
    }
    for (int32_t ky = 0; ky < s->kernel_h; ky++, top += step, to += size) {
        if (top < in->first || top >= in->end) conv2d_window_fill(s, to, size);
        else if (columns) conv2d_window_row(s, row_at(in, top, in_row), first, 1, to);
        else conv2d_window_row(s, row_at(in, top, in_row), first, 0, to);
    }
}

KERNEL void conv2d_window_dsp(const struct conv2d_window_dsp *s, const int32_t *weights, struct rows in, uint8_t *out,
                              uint8_t *scratch, int32_t rows)
{
    struct gemm g;
    struct gemm_bytes window;
    const struct rows copied = rows_of(scratch, scratch, 0, 0, 0, 1);
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
    window.row = s->k;
    window.parts = 1;
    window.offset = 0;
    window.is_signed = s->in_signed;
    for (int32_t row = 0; row < rows; row++) {
        uint8_t *p = out + row * s->out_row;
        const int32_t top = in.top + row * s->stride_h;
        for (int32_t x = 0; x < s->out_width; x++, p += s->out_pixel) {
            conv2d_window(s, &in, top, x * s->stride_w - s->pad_left, scratch);
            gemm_vector(&g, &window, &copied, 0, weights, p);
        }
    }
}
#endif
