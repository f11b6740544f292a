/*
 * CONV_2D, int8, for cores with the DSP extension: windows of two output pixels at a time are expanded to 16-bit lanes
 * in scratch, then multiplied (gemm.h).  Any kernel, stride, dilation and padding, one group; a pointwise layer is the
 * kernel 1x1, its input may also lie in channel planes.  Bytes may be signed or unsigned (q + 128) on either side.
 *
 * Order of the K products: kernel rows, in each the runs of bytes that lie together in memory (all taps of the row if
 * the dilation is 1, else one tap each), every run filled up to a multiple of 4 with zero weights.  What a run reads
 * beyond its end (up to 3 bytes) is multiplied by these.  Taps outside the input read the zero point.  With `tails` runs
 * of 4 n + 1 bytes (three rows of three taps of three channels), their last bytes follow all the rest instead, in words
 * of their own: fewer products.
 *
 * Two pixels are two that follow each other in the order of the output, also across the end of a row, so odd widths cost
 * nothing.  The last of an odd number is done by the narrow core, or twice by the wide one if `twice` (smaller code).
 *
 * Scratch: 4 * K bytes, then `patch` bytes (runs at the border that are not whole words); aligned to 4.
 */
#ifndef BYROTE_CONV2D_DSP_H
#define BYROTE_CONV2D_DSP_H
#include "gemm.h"

struct conv2d_dsp {
    int32_t in_width, in_row, in_pixel, in_channels; /* columns; bytes of a row, of a pixel; channels */
    int32_t in_plane;                                /* 0, or bytes from one channel of a pixel to the next (1x1 only) */
    int32_t in_signed, in_zero;                      /* kind and zero point of the stored bytes */
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_left, padded;
    int32_t out_width, out_row, out_pixel, out_step; /* columns; bytes of a row, from pixel to pixel, channel to channel */
    int32_t out_channels, out_signed, low, high;     /* low, high: of the stored result */
    int32_t k, unroll, form, params, shift, left;    /* see struct gemm */
    int32_t tails;                                   /* 0, or the number of runs, each of 4 n + 1 bytes */
    int32_t twice;
};

typedef int16_t __attribute__((may_alias)) conv2d_dsp_lane;

/* All of these write every other word of x: the words of two pixels alternate. */

/* One pixel whose channels lie `in_plane` bytes apart. */
KERNEL void conv2d_dsp_planes(const struct conv2d_dsp *s, dsp_word *x, const uint8_t *in)
{
    const int32_t plane = s->in_plane;
    for (int32_t k = s->in_channels; k > 0; k -= 4, in += 4 * plane, x += 4) {
        const uint32_t a = in[0], b = k > 1 ? in[plane] : 0u, c = k > 2 ? in[2 * plane] : 0u, d = k > 3 ? in[3 * plane] : 0u;
        x[0] = s->in_signed ? dsp_sxtb16(a | c << 16) : a | c << 16;
        x[2] = s->in_signed ? dsp_sxtb16(b | d << 16) : b | d << 16;
    }
}

/* Where last bytes of runs go: the words behind those of `tails` runs of `size` bytes. */
KERNEL dsp_word *conv2d_dsp_tails(const struct conv2d_dsp *s, dsp_word *x, int32_t size)
{
    return x + s->tails * (size & ~3);
}

/* The last byte of a run, extended. */
KERNEL int32_t conv2d_dsp_last(const struct conv2d_dsp *s, const uint8_t *last)
{
    return s->in_signed ? *(const int8_t *)last : *last;
}

/* The last byte of run `i`, whose whole words go elsewhere: lanes in the order of gemm_expand.  `y`: conv2d_dsp_tails. */
KERNEL void conv2d_dsp_tail(const struct conv2d_dsp *s, dsp_word *y, int32_t i, int32_t value)
{
    dsp_word *word = y + 4 * (i >> 2) + 2 * (i & 1);
    if (i & 2) ((conv2d_dsp_lane *)(void *)word)[1] = (int16_t)value; /* little-endian: the high lane */
    else *word = (uint32_t)value;                                      /* clears the high lane or has no use for it */
    if (i == s->tails - 1 && (i & 3) == 0) word[2] = 0;
}

/* A run with taps outside: `taps` taps, of which lead <= tap < end lie in the input; `in` is where tap 0 would lie. */
KERNEL dsp_word *conv2d_dsp_border(const struct conv2d_dsp *s, dsp_word *x, const uint8_t *in, int32_t taps, int32_t lead,
                                   int32_t end, uint8_t *patch)
{
    const int32_t c = s->in_channels, size = taps * c;
    if ((c & 3) == 0) {
        const uint32_t lanes = ((uint32_t)s->in_zero & 0xffffu) * 0x10001u;
        x = gemm_fill(x, 2, lanes, lead * c);
        x = gemm_expand(x, 2, in + lead * c, (end - lead) * c, s->in_signed);
        return gemm_fill(x, 2, lanes, (taps - end) * c);
    }
    if (!s->tails && size <= 4 && s->in_width * c >= 4 && (lead == 0 || end == taps)) {
        /* one word: four bytes inside the row, shifted */
        const uint32_t zero = ((uint32_t)s->in_zero & 0xffu) * 0x01010101u;
        const int32_t after = end == taps ? 0 : 4 - end * c;
        const uint32_t before = (uint32_t)(8 * lead * c), behind = (uint32_t)(8 * after);
        uint32_t v = zero;
        if (lead < end) {
            v = dsp_load32(in + lead * c - after);
            v = lead ? v << before | zero >> (32 - before) : after ? v >> behind | zero << (32 - behind) : v;
        }
        x[0] = s->in_signed ? dsp_sxtb16(v) : dsp_uxtb16(v);
        x[2] = s->in_signed ? dsp_sxtb16_ror8(v) : dsp_uxtb16_ror8(v);
        return x + 4;
    }
    for (int32_t i = 0; i < size; i++) {
        patch[i] = i >= lead * c && i < end * c ? in[i] : (uint8_t)(s->in_zero & 0xff);
        POINTED_IN_MEMORY(patch); /* not a call of memset */
    }
    return gemm_expand(x, 2, patch, s->tails ? size & ~3 : size, s->in_signed);
}

/* Taps [lead, end) of a run that begins at column `tap` lie in the input. */
KERNEL int32_t conv2d_dsp_lead(int32_t tap, int32_t taps) { return tap >= 0 ? 0 : -tap < taps ? -tap : taps; }
KERNEL int32_t conv2d_dsp_end(const struct conv2d_dsp *s, int32_t tap, int32_t taps, int32_t lead)
{
    const int32_t end = s->in_width - tap < taps ? s->in_width - tap : taps;
    return end < lead ? lead : end;
}

/* All runs of kernel row `ky`, which lies inside the input; `line`: its first tap. */
KERNEL dsp_word *conv2d_dsp_row(const struct conv2d_dsp *s, dsp_word *x, dsp_word *y, int32_t ky, const uint8_t *line)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, size = taps * s->in_channels;
    for (int32_t kx = 0; kx < s->kernel_w; kx += taps, line += s->dilation_w * s->in_pixel) {
        x = gemm_expand(x, 2, line, s->tails ? size & ~3 : size, s->in_signed);
        if (s->tails) conv2d_dsp_tail(s, y, taps == 1 ? ky * s->kernel_w + kx : ky, conv2d_dsp_last(s, line + size - 1));
    }
    return x;
}

/* The same for two windows that follow each other in a row: their runs alternate. */
KERNEL dsp_word *conv2d_dsp_row_2(const struct conv2d_dsp *s, dsp_word *x, dsp_word *y, int32_t ky, const uint8_t *line)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, size = taps * s->in_channels;
    const int32_t apart = s->stride_w * s->in_pixel;
    for (int32_t kx = 0; kx < s->kernel_w; kx += taps, line += s->dilation_w * s->in_pixel) {
        x = gemm_expand_2(x, line, apart, s->tails ? size & ~3 : size, s->in_signed);
        if (!s->tails) continue;
        int32_t a = conv2d_dsp_last(s, line + size - 1), b = conv2d_dsp_last(s, line + apart + size - 1);
        PIN2(a, b);
        conv2d_dsp_tail(s, y, taps == 1 ? ky * s->kernel_w + kx : ky, a);
        ALL_IN_MEMORY(); /* as in gemm_expand_2 */
        conv2d_dsp_tail(s, y + 1, taps == 1 ? ky * s->kernel_w + kx : ky, b);
    }
    return x;
}

/* A window whose columns all lie inside, from `offset` in its rows on. */
KERNEL void conv2d_dsp_inside(const struct conv2d_dsp *s, const struct rows *in, int32_t top, int32_t offset, dsp_word *x)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, size = taps * s->in_channels, step = s->dilation_h;
    dsp_word *y = conv2d_dsp_tails(s, x, size);
    const int32_t all = !s->padded || (top >= in->first && top + (s->kernel_h - 1) * step < in->end);
    if (s->kernel_h == 3 && all) { /* literal positions */
        x = conv2d_dsp_row(s, x, y, 0, row_at(in, top, s->in_row) + offset);
        x = conv2d_dsp_row(s, x, y, 1, row_at(in, top + step, s->in_row) + offset);
        conv2d_dsp_row(s, x, y, 2, row_at(in, top + 2 * step, s->in_row) + offset);
        return;
    }
    const uint32_t lanes = ((uint32_t)s->in_zero & 0xffffu) * 0x10001u;
    const int32_t runs = taps == 1 ? s->kernel_w : 1;
    for (int32_t ky = 0; ky < s->kernel_h; ky++, top += step) {
        if (!s->padded || (top >= in->first && top < in->end)) {
            x = conv2d_dsp_row(s, x, y, ky, row_at(in, top, s->in_row) + offset);
            continue;
        }
        x = gemm_fill(x, 2, lanes, runs * (s->tails ? size & ~3 : (size + 3) & ~3));
        for (int32_t i = 0; s->tails && i < runs; i++) conv2d_dsp_tail(s, y, ky * runs + i, s->in_zero);
    }
}

/* The window of one output pixel, whose first row lies in slot `top`. */
KERNEL void conv2d_dsp_window(const struct conv2d_dsp *s, const struct rows *in, int32_t top, int32_t column, dsp_word *x,
                              uint8_t *patch)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, size = taps * s->in_channels;
    const int32_t first = column * s->stride_w - s->pad_left, bottom = top + s->kernel_h * s->dilation_h;
    if (s->in_plane) {
        conv2d_dsp_planes(s, x, row_at(in, top, s->in_row) + first * s->in_pixel);
        return;
    }
    if (!s->padded || (first >= 0 && first + (s->kernel_w - 1) * s->dilation_w < s->in_width)) { /* all columns inside */
        conv2d_dsp_inside(s, in, top, first * s->in_pixel, x);
        return;
    }
    dsp_word *y = conv2d_dsp_tails(s, x, size);
    for (int32_t run = 0; top < bottom; top += s->dilation_h) {
        const int32_t present = top >= in->first && top < in->end;
        const uint8_t *line = present ? row_at(in, top, s->in_row) : in->fresh;
        int32_t tap = first;
        for (int32_t kx = 0; kx < s->kernel_w; kx += taps, tap += s->dilation_w, run++) {
            const int32_t lead = present ? conv2d_dsp_lead(tap, taps) : taps;
            const int32_t end = conv2d_dsp_end(s, tap, taps, lead);
            x = conv2d_dsp_border(s, x, line + tap * s->in_pixel, taps, lead, end, patch);
            if (s->tails) conv2d_dsp_tail(s, y, run, conv2d_dsp_last(s, patch + size - 1));
        }
    }
}

/* Two windows that follow each other in a row and lie inside, from `offset` in their rows on. */
KERNEL void conv2d_dsp_inside_2(const struct conv2d_dsp *s, const struct rows *in, int32_t top, int32_t offset, dsp_word *x)
{
    const int32_t taps = s->dilation_w == 1 ? s->kernel_w : 1, step = s->dilation_h;
    dsp_word *y = conv2d_dsp_tails(s, x, taps * s->in_channels);
    if (s->kernel_h == 3) { /* literal positions */
        const uint8_t *line = row_at(in, top, s->in_row) + offset;
        PIN1(line);
        x = conv2d_dsp_row_2(s, x, y, 0, line);
        line = in->held ? row_at(in, top + step, s->in_row) + offset : line + step * s->in_row;
        x = conv2d_dsp_row_2(s, x, y, 1, line);
        line = in->held ? row_at(in, top + 2 * step, s->in_row) + offset : line + step * s->in_row;
        conv2d_dsp_row_2(s, x, y, 2, line);
        return;
    }
    for (int32_t ky = 0; ky < s->kernel_h; ky++)
        x = conv2d_dsp_row_2(s, x, y, ky, row_at(in, top + ky * step, s->in_row) + offset);
}

/* The windows of two output pixels that follow each other in a row. */
KERNEL void conv2d_dsp_pair(const struct conv2d_dsp *s, const struct rows *in, int32_t top, int32_t column, dsp_word *x,
                            uint8_t *patch)
{
    const int32_t first = column * s->stride_w - s->pad_left;
    /* How many columns, and slots, windows may begin at; one comparison says whether these do. */
    const int32_t columns = s->in_width - s->stride_w - (s->kernel_w - 1) * s->dilation_w;
    const int32_t slots = in->end - in->first - (s->kernel_h - 1) * s->dilation_h;
    const int32_t inside = columns > 0 && (uint32_t)first < (uint32_t)columns && slots > 0 &&
                           (uint32_t)(top - in->first) < (uint32_t)slots;
    if (!s->in_plane && (!s->padded || inside)) {
        conv2d_dsp_inside_2(s, in, top, first * s->in_pixel, x);
        return;
    }
    for (int32_t i = 0; i < 2; i++) conv2d_dsp_window(s, in, top, column + i, x + i, patch);
}

KERNEL struct gemm conv2d_dsp_gemm(const struct conv2d_dsp *s)
{
    struct gemm g;
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
    return g;
}

/* Products per turn for the single pixel at the end: it is rare, so its code is short. */
KERNEL int32_t conv2d_dsp_short_turn(int32_t unroll) { return unroll & 15 ? unroll & 7 ? 4 : 8 : 16; }

/* All channels of two pixels, expanded at x; `mixed` is a constant. */
KERNEL void conv2d_dsp_core(const struct gemm *g, int32_t mixed, const dsp_word *x, const int32_t *weights, uint8_t *out,
                            int32_t pair)
{
    if (mixed) gemm_mixed_2(g, x, weights, out, pair);
    else gemm_plain(g, 2, x, weights, out, pair);
}

/* Rows of an even number of pixels. */
KERNEL void conv2d_dsp_even(const struct conv2d_dsp *s, int32_t mixed, const int32_t *weights, const struct rows *in,
                            uint8_t *out, uint8_t *scratch, int32_t rows)
{
    const struct gemm g = conv2d_dsp_gemm(s);
    uint8_t *base[1] = {scratch};
    for (int32_t row = 0; row < rows; row++) {
        const int32_t top = in->top + row * s->stride_h;
        for (int32_t column = 0; column < s->out_width; column += 2, out += 2 * s->out_pixel) {
            IN_MEMORY(base);
            dsp_word *x = (dsp_word *)(void *)base[0];
            conv2d_dsp_pair(s, in, top, column, x, base[0] + 4 * s->k);
            conv2d_dsp_core(&g, mixed, x, weights, out, s->out_pixel);
        }
        out += s->out_row - s->out_width * s->out_pixel;
    }
}

/* Rows of an odd number: pairs lie across the ends of rows, and one pixel may be left. */
KERNEL void conv2d_dsp_odd(const struct conv2d_dsp *s, int32_t mixed, const int32_t *weights, const struct rows *in,
                           uint8_t *out, uint8_t *scratch, int32_t rows)
{
    const struct gemm g = conv2d_dsp_gemm(s);
    const int32_t wrap = s->out_row - s->out_width * s->out_pixel;
    uint8_t *base[1] = {scratch};
    int32_t top = in->top, column = 0;
    for (int32_t left = rows * s->out_width; left > 0; left -= 2) {
        IN_MEMORY(base);
        dsp_word *x = (dsp_word *)(void *)base[0];
        uint8_t *patch = base[0] + 4 * s->k, *const to = out;
        int32_t pair = s->out_pixel;
        if (column + 1 < s->out_width) {
            conv2d_dsp_pair(s, in, top, column, x, patch);
        } else { /* the last pixel of a row, and the first of the next if there is one */
            for (int32_t i = 0; i < 2 && i < left; i++)
                conv2d_dsp_window(s, in, top + i * s->stride_h, i ? 0 : column, x + i, patch);
            pair = left > 1 ? pair + wrap : 0;
        }
        out += 2 * s->out_pixel;
        column += 2;
        PIN2(out, column); /* each in one register on both ways: conditional moves would look like data to the proof */
        for (int32_t i = s->out_width == 1 ? 2 : 1; i > 0 && column >= s->out_width; i--) {
            column -= s->out_width;
            top += s->stride_h;
            out += wrap;
        }
        if (left == 1 && !s->twice) {
            for (int32_t i = 1; i < s->k >> 1; i++) x[i] = x[2 * i]; /* no second pixel between */
            struct gemm single = g;
            single.unroll = conv2d_dsp_short_turn(g.unroll);
            if (mixed) gemm_mixed_1(&single, x, weights, to);
            else gemm_plain(&single, 1, x, weights, to, 0);
            return;
        }
        conv2d_dsp_core(&g, mixed, x, weights, to, pair);
    }
}

/* Both kernels; `mixed` is a constant. */
KERNEL void conv2d_dsp_rows(const struct conv2d_dsp *s, int32_t mixed, const int32_t *weights, struct rows in, uint8_t *out,
                            uint8_t *scratch, int32_t rows)
{
    if (s->out_width & 1) conv2d_dsp_odd(s, mixed, weights, &in, out, scratch, rows);
    else conv2d_dsp_even(s, mixed, weights, &in, out, scratch, rows);
}

/*
 * The three kernels: weights in mixed lanes, or as bytes (_plain).  The pointwise one differs by name only: with as many
 * channels out as in and both in rows of pixels, the two pixels of a step are read before the first of them is written.
 * Scratch lies in the arena even where it is small: windows written to the stack through moving pointers defeat the
 * proof of one path, for which any word of the stack, a saved pointer too, may then be data.
 */
KERNEL void conv2d_dsp(const struct conv2d_dsp *s, const int32_t *weights, struct rows in, uint8_t *out, uint8_t *scratch,
                       int32_t rows)
{
    conv2d_dsp_rows(s, 1, weights, in, out, scratch, rows);
}

KERNEL void conv2d_pointwise_dsp(const struct conv2d_dsp *s, const int32_t *weights, struct rows in, uint8_t *out,
                                 uint8_t *scratch, int32_t rows)
{
    conv2d_dsp_rows(s, 1, weights, in, out, scratch, rows);
}

KERNEL void conv2d_dsp_plain(const struct conv2d_dsp *s, const int32_t *weights, struct rows in, uint8_t *out,
                             uint8_t *scratch, int32_t rows)
{
    conv2d_dsp_rows(s, 0, weights, in, out, scratch, rows);
}
#endif
