/*
 * Depthwise 3x3, stride 1 or 2, multiplier 1, on channel planes: cores with the DSP extension.
 *
 * Input:  rows of channel planes (HCW), unsigned with zero point 0 (or no padding at all): byte (row, channel, column)
 *         lies at row * in_row + channel * in_plane + column.  There are no padding columns or rows: a window at a
 *         border has fewer taps.  A word load may reach up to three bytes past a plane.
 * Output: byte (row, channel, column) at row * out_row + channel * out_plane + column * out_pixel; unsigned or signed
 *         alike, as the requantisation constants say.
 * channels: per channel the taps (0, 2) of kernel rows 0, 1, 2; the middle taps of rows (0, 1) and of row 2; bias and
 *         multiplier; for DSP_OUTPUT_ROUND add and shift.
 *
 * One word of input holds the bytes b0..b3 of the columns s..s+3.  After unpacking to even (b0, b2) and odd (b1, b3)
 * lanes it serves the windows that are centred at any of the four.  A strip runs down all rows of the call and keeps
 * the accumulators of the output rows in flight.
 */
#ifndef BYROTE_DEPTHWISE3X3_DSP_H
#define BYROTE_DEPTHWISE3X3_DSP_H
#include "depthwise_steps.h"
#include "dsp.h"
#include "dsp_output.h"
#include "rows.h"

struct depthwise3x3_dsp {
    int32_t width, channels, stride, left; /* input columns; 1 or 2; columns of padding on the left */
    int32_t in_row, in_plane;
    int32_t out_width, out_row, out_plane, out_pixel;
    struct dsp_output output;
};

/* Constants of one channel. */
struct taps3x3 {
    uint32_t sides[3], middle01, middle2;
    int32_t bias, multiplier, add, shift;
};

/* The taps of the window centred at byte p of a word, as bits 1 (left), 2 (middle), 4 (right), shifted by 3 * p. */
KERNEL int32_t depthwise3x3_window(int32_t p, int32_t taps) { return taps << 3 * p; }
KERNEL int32_t depthwise3x3_taps_of(int32_t windows, int32_t p) { return windows >> 3 * p & 7; }

/* x / 3 for 0 <= x < 2^15. */
KERNEL int32_t depthwise3x3_third(int32_t x) { return (int32_t)((uint32_t)x * 43691u >> 17); }

struct strip3x3 {
    const uint8_t *kept, *fresh; /* slot 0 and slot `held`, at the strip's column */
    int32_t held;
    int32_t top, first, end; /* as in struct rows */
    int32_t rows, windows;
};

/* One kernel row of the window centred at byte p.  beside: the byte left of b0 (p == 0) or right of b3 (p == 3). */
KERNEL int32_t depthwise3x3_taps(const struct taps3x3 *w, int32_t ky, int32_t p, int32_t taps, uint32_t even, uint32_t odd,
                                 uint32_t beside, int32_t acc)
{
    const uint32_t sides = w->sides[ky], mid = ky == 2 ? w->middle2 : w->middle01;
    const uint32_t around = p & 1 ? even : odd, centre = p & 1 ? odd : even;
    if (p == 0) {
        if (taps & 1) acc = dsp_smlabb(beside, sides, acc);
        if (taps & 4) acc = dsp_smlabt(around, sides, acc);
    } else if (p == 3) {
        if (taps & 1) acc = dsp_smlatb(around, sides, acc);
        if (taps & 4) acc = dsp_smlabt(beside, sides, acc);
    } else if ((taps & 5) == 5) {
        acc = dsp_smlad(around, sides, acc);
    } else {
        if (taps & 1) acc = dsp_smlabb(around, sides, acc);
        if (taps & 4) acc = dsp_smlatt(around, sides, acc);
    }
    if (taps & 2) {
        if (p < 2) acc = ky == 1 ? dsp_smlabt(centre, mid, acc) : dsp_smlabb(centre, mid, acc);
        else acc = ky == 1 ? dsp_smlatt(centre, mid, acc) : dsp_smlatb(centre, mid, acc);
    }
    return acc;
}

/* A word of input, and the byte beside it that its windows need, if any. */
struct word3x3 {
    uint32_t word, beside;
};

KERNEL int32_t depthwise3x3_beside(int32_t windows)
{
    return depthwise3x3_taps_of(windows, 0) & 1 ? -1 : depthwise3x3_taps_of(windows, 3) & 4 ? 4 : 0;
}

KERNEL struct word3x3 depthwise3x3_load(const uint8_t *in, int32_t windows)
{
    const int32_t beside = depthwise3x3_beside(windows);
    struct word3x3 x;
    x.word = dsp_load32(in);
    x.beside = beside ? in[beside] : 0;
    if (beside) PIN2(x.word, x.beside); /* loads that follow each other are faster */
    return x;
}

/*
 * Input slot top + t: the taps of kernel row ky for output row (t - ky) / stride.  The accumulator starts from the bias
 * at the first slot of its window that holds a row, and is stored at the last.
 */
KERNEL void depthwise3x3_slot(const struct depthwise3x3_dsp *s, const struct taps3x3 *w, const struct strip3x3 *z, int32_t t,
                              struct word3x3 x, uint8_t *out, int32_t acc[3][4])
{
    const int32_t begin = z->first - z->top, end = z->end - z->top;
    const int32_t windows = z->windows;
    const uint32_t even = dsp_uxtb16(x.word), odd = dsp_uxtb16_ror8(x.word);
#pragma GCC unroll 3
    for (int32_t ky = 2; ky >= 0; ky--) {
        const int32_t d = t - ky, r = s->stride == 1 ? d : d >> 1, start = r * s->stride;
        if (d < 0 || start != d || r >= z->rows) continue;
        int32_t *const a = acc[s->stride == 1 ? r - 3 * depthwise3x3_third(r) : r & 1];
#pragma GCC unroll 4
        for (int32_t p = 0; p < 4; p++) {
            const int32_t taps = depthwise3x3_taps_of(windows, p);
            if (!taps) continue;
            const int32_t sum = t == begin || ky == 0 ? w->bias : a[p];
            a[p] = depthwise3x3_taps(w, ky, p, taps, even, odd, x.beside, sum);
        }
        const int32_t last = ky == 2 || t + 1 == end;
#pragma GCC unroll 4
        for (int32_t p = 0; p < 4; p++) {
            if (!depthwise3x3_taps_of(windows, p)) continue;
            if (last) {
                /* Columns count from the window centred at b1; with stride 2 they are two bytes apart. */
                const int32_t column = s->stride == 1 ? p - 1 : p >> 1;
                out[r * s->out_row + column * s->out_pixel] = dsp_output(&s->output, a[p], w->multiplier, w->add, w->shift);
            } else {
                PIN1(a[p]);
            }
        }
    }
}

/* The address of the strip's word in input slot top + t. */
KERNEL const uint8_t *depthwise3x3_line(const struct depthwise3x3_dsp *s, const struct strip3x3 *z, int32_t t)
{
    const int32_t slot = z->top + t;
    return slot < z->held ? z->kept + slot * s->in_row : z->fresh + (slot - z->held) * s->in_row;
}

/* All rows of one strip.  out: output row 0 at the column that depthwise3x3_slot counts from. */
KERNEL void depthwise3x3_strip(const struct depthwise3x3_dsp *s, const struct taps3x3 *w, struct strip3x3 z, uint8_t *out)
{
    int32_t acc[3][4];
    const int32_t begin = z.first - z.top, end = z.end - z.top, period = s->stride == 1 ? 3 : 4;
    const int32_t after = (z.rows - 1) * s->stride + 3, stop = after < end ? after : end;
    /* From `steady` on, slots are contiguous, and windows neither begin nor end but with kernel rows 0 and 2. */
    int32_t steady = z.held - z.top, loops = 0, t = begin > 0 ? begin : 0;
    if (steady < 2) steady = 2;
    if (steady < begin + 1) steady = begin + 1;
    if (s->stride == 2) steady += steady & 1;
    const int32_t whole = z.rows * s->stride < end - 1 ? z.rows * s->stride : end - 1;
    if (whole - steady >= 2 * period) loops = s->stride == 1 ? depthwise3x3_third(whole - steady) : (whole - steady) >> 2;
    if (!loops || steady > stop) steady = stop;
#pragma GCC unroll 16
    for (; t < steady; t++) {
        depthwise3x3_slot(s, w, &z, t, depthwise3x3_load(depthwise3x3_line(s, &z, t), z.windows), out, acc);
    }
    if (!loops) return;
    const uint8_t *in = z.fresh + (z.top + t - z.held) * s->in_row, *const in_end = in + loops * period * s->in_row;
    const int32_t step = s->stride == 1 ? 3 : 2;
    do {
        PIN2(in, out); /* addresses are offsets from these two */
#pragma GCC unroll 4
        for (int32_t i = 0; i < period; i++)
            depthwise3x3_slot(s, w, &z, t + i, depthwise3x3_load(in + i * s->in_row, z.windows), out, acc);
        in += period * s->in_row;
        out += step * s->out_row;
    } while (in != in_end);
    /* The rest, as if the call had begun where the loop ended. */
    const int32_t shift = loops * period;
    z.top += shift;
    z.rows -= loops * step;
#pragma GCC unroll 8
    for (int32_t u = t; u < stop - shift; u++) {
        depthwise3x3_slot(s, w, &z, u, depthwise3x3_load(in, z.windows), out, acc);
        in += s->in_row;
    }
}

/* The windows centred at b1 and b2 of one output row. */
KERNEL const uint8_t *depthwise3x3_row(const struct depthwise3x3_dsp *s, struct taps3x3 *w, const uint8_t *in,
                                       uint8_t *out)
{
    int32_t c, d;
    DSP_THREE_LINES(in, s->in_row, w->sides[0], w->sides[1], w->sides[2], w->middle01, w->middle2, w->bias, c, d);
    out[0] = dsp_output(&s->output, c, w->multiplier, w->add, w->shift);
    out[s->out_pixel] = dsp_output(&s->output, d, w->multiplier, w->add, w->shift);
    return in;
}

/*
 * So many pairs of columns of one output row, two pairs a turn; returns how many: none if there are few, or if windows
 * are not three lines that lie together.
 */
KERNEL int32_t depthwise3x3_pairs(const struct depthwise3x3_dsp *s, struct taps3x3 *w, const struct strip3x3 *z,
                                  uint8_t *out, int32_t pairs)
{
    const int32_t whole = z->rows == 1 && z->top >= z->first && z->top + 3 <= z->end && z->top >= z->held;
    if (!whole || pairs < 4 || 2 * s->in_row > 4095) return 0;
    const uint8_t *in = z->fresh + (z->top - z->held) * s->in_row;
    uint8_t *end[1] = {out + 2 * (pairs & ~1) * s->out_pixel};
    POINTED_IN_MEMORY(end);
    while (out != end[0]) {
        in = depthwise3x3_row(s, w, in, out);
        in = depthwise3x3_row(s, w, in, out + 2 * s->out_pixel);
        out += 4 * s->out_pixel;
        PIN1(out);
    }
    if (pairs & 1) depthwise3x3_row(s, w, in, out);
    return pairs;
}

/*
 * The windows that one word at column `word` serves: centres word + p, p in [from, to), in steps of the stride.  Which of their
 * taps lie inside, and whether the output has such a column, follows from the sizes.
 */
KERNEL int32_t depthwise3x3_windows(const struct depthwise3x3_dsp *s, int32_t word, int32_t from, int32_t to)
{
    int32_t windows = 0;
#pragma GCC unroll 4
    for (int32_t p = from; p < to; p += s->stride) {
        const int32_t start = word + p - 1 + s->left, column = s->stride == 1 ? start : start >> 1;
        const int32_t taps = 2 | (word + p > 0 ? 1 : 0) | (word + p + 1 < s->width ? 4 : 0);
        if (start >= 0 && column < s->out_width && word + p < s->width) windows |= depthwise3x3_window(p, taps);
    }
    return windows;
}

/* The strip at column `word` of a channel. */
KERNEL void depthwise3x3_at(const struct depthwise3x3_dsp *s, const struct taps3x3 *w, struct strip3x3 z, uint8_t *out, int32_t word,
                            int32_t windows)
{
    const int32_t column = s->stride == 1 ? word + s->left : word >> 1;
    if (!windows) return;
    z.kept += word;
    z.fresh += word;
    z.windows = windows;
    depthwise3x3_strip(s, w, z, out + column * s->out_pixel);
}

/* All columns of one channel, stride 1: two windows per word, at the borders up to four. */
KERNEL void depthwise3x3_plane1(const struct depthwise3x3_dsp *s, struct taps3x3 *w, struct strip3x3 z, uint8_t *out)
{
    const int32_t width = s->width, last = width & 1 ? width - 3 : width - 4; /* column of the last word */
    /* Few accumulators are in flight when there are few rows: the borders then join the strips beside them. */
    const int32_t join = z.rows <= 2;
    if (width <= 4) {
        depthwise3x3_at(s, w, z, out, 0, depthwise3x3_windows(s, 0, 0, 4));
        return;
    }
    if (!join) depthwise3x3_at(s, w, z, out, 0, depthwise3x3_windows(s, 0, 0, 1));
    depthwise3x3_at(s, w, z, out, 0, depthwise3x3_windows(s, 0, join ? 0 : 1, 3));
    struct strip3x3 inner = z;
    inner.windows = depthwise3x3_window(1, 7) | depthwise3x3_window(2, 7);
    inner.kept += 2;
    inner.fresh += 2;
    uint8_t *o = out + (2 + s->left) * s->out_pixel, *const end = out + (last + s->left) * s->out_pixel;
    o += 2 * depthwise3x3_pairs(s, w, &inner, o, last > 2 ? (last - 1) >> 1 : 0) * s->out_pixel;
    for (; o < end; o += 2 * s->out_pixel) {
        PIN2(inner.fresh, o);
        if (inner.held > 0) PIN1(inner.kept);
        depthwise3x3_strip(s, w, inner, o);
        inner.kept += 2;
        inner.fresh += 2;
    }
    depthwise3x3_at(s, w, z, out, last, depthwise3x3_windows(s, last, 1, join ? 4 : 3));
    if (!join) depthwise3x3_at(s, w, z, out, last, depthwise3x3_windows(s, last, 3, 4));
}

/* All columns of one channel, stride 2: two windows per word of four new columns. */
KERNEL void depthwise3x3_plane2(const struct depthwise3x3_dsp *s, const struct taps3x3 *w, struct strip3x3 z, uint8_t *out)
{
    const int32_t from = s->left ? 0 : 1, last = ((s->out_width - 1) >> 1) * 4;
    struct strip3x3 inner = z;
    int32_t word = 0;
    if (s->left && last > 0) {
        depthwise3x3_at(s, w, z, out, 0, depthwise3x3_windows(s, 0, 0, 4));
        word = 4;
    }
    inner.windows = s->left ? depthwise3x3_window(0, 7) | depthwise3x3_window(2, 7) : depthwise3x3_window(1, 7) | depthwise3x3_window(3, 7);
    inner.kept += word;
    inner.fresh += word;
    uint8_t *o = out + (word >> 1) * s->out_pixel, *const end = out + (last >> 1) * s->out_pixel;
    for (; o < end; o += 2 * s->out_pixel) {
        PIN2(inner.fresh, o);
        if (inner.held > 0) PIN1(inner.kept);
        depthwise3x3_strip(s, w, inner, o);
        inner.kept += 4;
        inner.fresh += 4;
    }
    depthwise3x3_at(s, w, z, out, last, depthwise3x3_windows(s, last, from, 4));
}

KERNEL void depthwise3x3_dsp(const struct depthwise3x3_dsp *s, const int32_t *channels, struct rows in, uint8_t *out, int32_t rows)
{
    struct strip3x3 z = {in.kept, in.fresh, in.held, in.top, in.first, in.end, rows, 0};
    const int32_t rounds = s->output.form == DSP_OUTPUT_ROUND;
    for (int32_t c = s->channels; c; c--) {
        struct taps3x3 w;
        w.sides[0] = (uint32_t)channels[0];
        w.sides[1] = (uint32_t)channels[1];
        w.sides[2] = (uint32_t)channels[2];
        w.middle01 = (uint32_t)channels[3];
        w.middle2 = (uint32_t)channels[4];
        w.bias = channels[5];
        w.multiplier = channels[6];
        w.add = rounds ? channels[7] : 0;
        w.shift = rounds ? channels[8] : 0;
        channels += rounds ? 9 : 7;
        if (s->stride == 1) depthwise3x3_plane1(s, &w, z, out);
        else depthwise3x3_plane2(s, &w, z, out);
        z.kept += s->in_plane;
        z.fresh += s->in_plane;
        out += s->out_plane;
    }
}
#endif
