/*
 * The matrix core of convolutions and fully connected layers on cores with the DSP extension: N channels of two pixels
 * or of one, K products each.
 *
 * Activations arrive expanded: K / 2 words of two lanes per pixel, of each four bytes (b0, b2) (b1, b3), as
 * gemm_expand writes them; the words of two pixels alternate.
 *
 * Weights are one stream in consumption order, in one of two forms:
 * - mixed lanes: per four channels 4 biases, K words (of channels 0, 1 and 2, 3 in turn, each lane 256 * odd + even),
 *   then the requantisation of each channel.  Odd accumulators are (sum with the words) - (sum with their low bytes),
 *   256 times the true sum; sums wrap modulo 2^32, so only that final value has to fit.
 * - mixed lanes of vectors (gemm_vector): the same for eight channels at a time, words of the four pairs in turn.
 * - plain: per two channels 2 biases, K / 2 words of four bytes (of channels 0 and 1 in turn), the requantisation.
 *
 * Requantisation (`form`), chosen and proved at compile time for every reachable accumulator; `params` words a channel:
 * - GEMM_FLOOR: saturate((high word of acc * M + R * 2^32) >> shift), 8 more in odd slots; (M, R).
 * - GEMM_TWICE: x = rounded high word of (acc << left) * m; saturate((x + (x >> 31) + C) >> n); (m, C[, n]).
 * - GEMM_ONCE: saturate((high word of (acc << left) * m + C * 2^32) >> n); (m, C[, n]).
 * n is `shift` where all channels share it, else (shift == 0) the third word.
 */
#ifndef BYROTE_GEMM_H
#define BYROTE_GEMM_H
#include "dsp.h"
#include "requant.h"

enum { GEMM_FLOOR, GEMM_TWICE, GEMM_ONCE };

struct gemm {
    int32_t k, unroll;        /* products per channel, per turn of the inner loop; multiples of 4, unroll <= 128 */
    int32_t channels, step;   /* stored channels; bytes from one to the next in the output */
    int32_t form, params, shift, left;
    int32_t is_signed, low, high; /* of the stored result */
};

/* step(0), step(2), ..., step(unroll - 2): literal positions, so that no compiler has to unroll. */
#if BYROTE_DSP
#define GEMM_FOUR(step, i)                                                                                             \
    if (s->unroll > (i)) {                                                                                             \
        step(i);                                                                                                       \
        step(i + 2);                                                                                                   \
    }
#define GEMM_AFTER_FIRST(step)                                                                                         \
    step(2);                                                                                                           \
    GEMM_FOUR(step, 4) GEMM_FOUR(step, 8) GEMM_FOUR(step, 12) GEMM_FOUR(step, 16) GEMM_FOUR(step, 20)                  \
    GEMM_FOUR(step, 24) GEMM_FOUR(step, 28) GEMM_FOUR(step, 32) GEMM_FOUR(step, 36) GEMM_FOUR(step, 40)                \
    GEMM_FOUR(step, 44) GEMM_FOUR(step, 48) GEMM_FOUR(step, 52) GEMM_FOUR(step, 56) GEMM_FOUR(step, 60)                \
    GEMM_FOUR(step, 64) GEMM_FOUR(step, 68) GEMM_FOUR(step, 72) GEMM_FOUR(step, 76) GEMM_FOUR(step, 80)                \
    GEMM_FOUR(step, 84) GEMM_FOUR(step, 88) GEMM_FOUR(step, 92) GEMM_FOUR(step, 96) GEMM_FOUR(step, 100)               \
    GEMM_FOUR(step, 104) GEMM_FOUR(step, 108) GEMM_FOUR(step, 112) GEMM_FOUR(step, 116) GEMM_FOUR(step, 120)           \
    GEMM_FOUR(step, 124)
/* step(kind, 0), step(kind, 4), ..., step(kind, unroll - 4); unroll <= 64 */
#define GEMM_BYTES(step, kind, i)                                                                                      \
    if (s->unroll > (i)) step(kind, i);
#define GEMM_TURN_BYTES(step, kind)                                                                                    \
    step(kind, 0);                                                                                                     \
    GEMM_BYTES(step, kind, 4) GEMM_BYTES(step, kind, 8) GEMM_BYTES(step, kind, 12) GEMM_BYTES(step, kind, 16)          \
    GEMM_BYTES(step, kind, 20) GEMM_BYTES(step, kind, 24) GEMM_BYTES(step, kind, 28) GEMM_BYTES(step, kind, 32)        \
    GEMM_BYTES(step, kind, 36) GEMM_BYTES(step, kind, 40) GEMM_BYTES(step, kind, 44) GEMM_BYTES(step, kind, 48)        \
    GEMM_BYTES(step, kind, 52) GEMM_BYTES(step, kind, 56) GEMM_BYTES(step, kind, 60)
#else
#define GEMM_TURN_BYTES(step, kind)                                                                                    \
    for (int32_t i = 0; i < s->unroll; i += 4) step(kind, i);
#define GEMM_AFTER_FIRST(step)                                                                                         \
    for (int32_t i = 2; i < s->unroll; i += 2) step(i);
#endif
#define GEMM_TURN(step) step(0); GEMM_AFTER_FIRST(step)

/* Requantised and clamped channel; q: its parameters.  `odd`: the accumulator is 256 times the sum. */
KERNEL uint8_t gemm_result(const struct gemm *s, const int32_t *q, int32_t odd, int32_t acc)
{
    int32_t x, n = s->shift;
    if (s->form == GEMM_FLOOR) {
        x = dsp_smmla(acc, q[0], q[1]);
        n += odd ? 8 : 0;
    } else {
        if (odd) acc >>= 8;
        acc = (int32_t)((uint32_t)acc << s->left);
        if (n == 0) n = q[2];
        if (s->form == GEMM_ONCE) x = dsp_smmla(acc, q[0], q[1]);
        else {
            x = dsp_smmulr(acc, q[0]);
            x += (x >> 31) + q[1];
        }
    }
    x = s->is_signed ? dsp_ssat8(x, n) : dsp_usat8(x, n);
    if (s->low > (s->is_signed ? -128 : 0) || s->high < (s->is_signed ? 127 : 255)) x = clamp(x, s->low, s->high);
    return (uint8_t)(x & 0xff);
}

/* Channel i of a group of one or two pixels; `left` channels are still to be stored. */
KERNEL void gemm_store(const struct gemm *s, const int32_t *q, int32_t i, int32_t odd, int32_t acc, int32_t left, uint8_t *out)
{
    if (i < left) out[i * s->step] = gemm_result(s, q + i * s->params, odd, acc);
}
KERNEL void gemm_store2(const struct gemm *s, const int32_t *q, int32_t i, int32_t odd, int32_t a, int32_t b, int32_t left,
                        uint8_t *out, int32_t pair)
{
    if (i >= left) return;
    int32_t m = q[i * s->params], r = q[i * s->params + 1]; /* once for both pixels */
    int32_t p[3];
    PIN2(m, r);
    p[0] = m, p[1] = r, p[2] = s->params > 2 ? q[i * s->params + 2] : 0;
    out[i * s->step + pair] = gemm_result(s, p, odd, b);
    out[i * s->step] = gemm_result(s, p, odd, a); /* the second store, so pair == 0 drops b */
}

/* 256 times the odd channel's sum. */
KERNEL int32_t gemm_odd(int32_t both, int32_t even) { return (int32_t)((uint32_t)both - (uint32_t)even); }

/* Eight channels of one pixel: sums with the words, odd ones still mixed. */
KERNEL void gemm_store_eight(const struct gemm *s, const int32_t *q, int32_t a0, int32_t a1, int32_t a2, int32_t a3, int32_t b0,
                             int32_t b1, int32_t b2, int32_t b3, int32_t left, uint8_t *out)
{
    gemm_store(s, q, 0, 0, a0, left, out);
    gemm_store(s, q, 1, 1, gemm_odd(a1, a0), left, out);
    gemm_store(s, q, 2, 0, a2, left, out);
    gemm_store(s, q, 3, 1, gemm_odd(a3, a2), left, out);
    gemm_store(s, q, 4, 0, b0, left, out);
    gemm_store(s, q, 5, 1, gemm_odd(b1, b0), left, out);
    gemm_store(s, q, 6, 0, b2, left, out);
    gemm_store(s, q, 7, 1, gemm_odd(b3, b2), left, out);
}

/* Two pixels, all channels, mixed lanes.  x: K words; the second pixel's results lie `pair` bytes after the first's. */
KERNEL void gemm_mixed_2(const struct gemm *s, const dsp_word *x, const int32_t *w, uint8_t *out, int32_t pair)
{
    uint8_t *o[1] = {out};
    int32_t left[1] = {s->channels};
    const dsp_word *ends[2] = {x, x + s->k};
    const int32_t ragged = s->channels & 3;
    do {
        int32_t a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3], b0, b1, b2, b3;
        uint32_t x0, x1, w0, w1;
        IN_MEMORY(o);
        IN_MEMORY(left);
        IN_MEMORY(ends);
        x = ends[0];
        if (s->unroll == s->k) {
            DSP_FIRST_2X4();
            PIN2(x, w); /* values of their own, so that no compiler moves one of them to the stack and back */
            GEMM_AFTER_FIRST(DSP_STEP_2X4)
            w += s->k + 4;
        } else { /* smaller code */
            b0 = a0, b1 = a1, b2 = a2, b3 = a3;
            do {
                PIN2(x, w);
                GEMM_TURN(DSP_STEP_2X4)
                x += s->unroll;
                w += s->unroll;
            } while (x != ends[1]);
            w += 4;
        }
        uint8_t *p = o[0];
        const int32_t some = ragged ? left[0] : 4;
        gemm_store2(s, w, 0, 0, a0, b0, some, p, pair);
        gemm_store2(s, w, 1, 1, gemm_odd(a1, a0), gemm_odd(b1, b0), some, p, pair);
        gemm_store2(s, w, 2, 0, a2, b2, some, p, pair);
        gemm_store2(s, w, 3, 1, gemm_odd(a3, a2), gemm_odd(b3, b2), some, p, pair);
        o[0] = p + 4 * s->step;
        left[0] -= 4;
        w += 4 * s->params;
    } while (left[0] > 0);
}

/* One pixel, eight channels at a time, mixed lanes.  x: K / 2 words. */
KERNEL void gemm_mixed_1(const struct gemm *s, const dsp_word *x, const int32_t *w, uint8_t *out)
{
    const int32_t group = s->k + 4 + 4 * s->params, ragged = s->channels & 7;
    uint8_t *o[1] = {out};
    int32_t left[1] = {s->channels};
    const dsp_word *ends[2] = {x, x + (s->k >> 1)};
    do {
        const int32_t *u = w + group;
        int32_t a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3], b0 = u[0], b1 = u[1], b2 = u[2], b3 = u[3];
        uint32_t v, w0, w1;
        IN_MEMORY(o);
        IN_MEMORY(left);
        IN_MEMORY(ends);
        if (s->unroll == s->k) {
            GEMM_TURN(DSP_STEP_1X8)
            w += s->k + 4;
        } else {
            do {
                GEMM_TURN(DSP_STEP_1X8)
                x += s->unroll >> 1;
                w += s->unroll;
                u += s->unroll;
            } while (x != ends[1]);
            x = ends[0];
            w += 4;
        }
        uint8_t *p = o[0];
        const int32_t some = ragged ? left[0] : 8;
        gemm_store(s, w, 0, 0, a0, some, p);
        gemm_store(s, w, 1, 1, gemm_odd(a1, a0), some, p);
        gemm_store(s, w, 2, 0, a2, some, p);
        gemm_store(s, w, 3, 1, gemm_odd(a3, a2), some, p);
        p += 4 * s->step;
        w += group;
        gemm_store(s, w, 0, 0, b0, some - 4, p);
        gemm_store(s, w, 1, 1, gemm_odd(b1, b0), some - 4, p);
        gemm_store(s, w, 2, 0, b2, some - 4, p);
        gemm_store(s, w, 3, 1, gemm_odd(b3, b2), some - 4, p);
        o[0] = p + 4 * s->step;
        left[0] -= 8;
        w += 4 * s->params;
    } while (left[0] > 0);
}

/* Where one vector lies: `parts` rows of `row` bytes, in each from `offset` on. */
struct gemm_bytes {
    int32_t row, parts, offset, is_signed;
};

/* One vector that is not expanded before, eight channels at a time, mixed lanes.  k and unroll are those of one part. */
KERNEL void gemm_vector(const struct gemm *s, const struct gemm_bytes *b, const struct rows *in, int32_t slot,
                        const int32_t *w, uint8_t *out)
{
    const int32_t ragged = s->channels & 7;
    uint8_t *o[1] = {out};
    int32_t left[1] = {s->channels};
    do {
        int32_t a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3], b0 = w[4], b1 = w[5], b2 = w[6], b3 = w[7];
        uint32_t v, t, w0, w1;
        IN_MEMORY(o);
        IN_MEMORY(left);
        for (int32_t part = 0; part < b->parts; part++) {
            const uint8_t *x = row_at(in, slot + part, b->row) + b->offset;
            const uint8_t *end[1] = {x + s->k};
            if (s->unroll < s->k) IN_MEMORY(end);
            do {
                if (b->is_signed) {
                    GEMM_TURN_BYTES(DSP_BYTES_1X8, sxtb16)
                } else {
                    GEMM_TURN_BYTES(DSP_BYTES_1X8, uxtb16)
                }
                x += s->unroll;
                w += 2 * s->unroll;
            } while (x != end[0]);
        }
        uint8_t *p = o[0];
        const int32_t some = ragged ? left[0] : 8;
        w += 8;
        gemm_store_eight(s, w, a0, a1, a2, a3, b0, b1, b2, b3, some, p);
        o[0] = p + 8 * s->step;
        left[0] -= 8;
        w += 8 * s->params;
    } while (left[0] > 0);
}

/* The same with plain weights, two channels at a time; no unrolling. */
KERNEL void gemm_vector_plain(const struct gemm *s, const struct gemm_bytes *b, const struct rows *in, int32_t slot,
                              const int32_t *w, uint8_t *out)
{
    const int32_t ragged = s->channels & 1;
    for (int32_t left = s->channels; left > 0; left -= 2, out += 2 * s->step) {
        int32_t a0 = w[0], a1 = w[1];
        w += 2;
        for (int32_t part = 0; part < b->parts; part++) {
            const uint8_t *x = row_at(in, slot + part, b->row) + b->offset;
            for (int32_t i = s->k; i > 0; i -= 4, x += 4, w += 2) {
                uint32_t t = dsp_load32(x), w0 = (uint32_t)w[0], w1 = (uint32_t)w[1];
                uint32_t even = b->is_signed ? dsp_sxtb16(t) : dsp_uxtb16(t);
                uint32_t odd = b->is_signed ? dsp_sxtb16_ror8(t) : dsp_uxtb16_ror8(t);
                a0 = dsp_smlad(odd, dsp_sxtb16_ror8(w0), dsp_smlad(even, dsp_sxtb16(w0), a0));
                a1 = dsp_smlad(odd, dsp_sxtb16_ror8(w1), dsp_smlad(even, dsp_sxtb16(w1), a1));
                PIN2(a0, a1);
            }
        }
        const int32_t some = ragged ? left : 2;
        gemm_store(s, w, 0, 0, a0, some, out);
        gemm_store(s, w, 1, 0, a1, some, out);
        w += 2 * s->params;
    }
}

/* One or two pixels (constant `pixels`), two channels at a time, plain weights: for any weights and accumulators. */
KERNEL void gemm_plain(const struct gemm *s, int32_t pixels, const dsp_word *x, const int32_t *w, uint8_t *out, int32_t pair)
{
    const int32_t ragged = s->channels & 1;
    for (int32_t left = s->channels; left > 0; left -= 2, out += 2 * s->step) {
        int32_t a0 = w[0], a1 = w[1], b0 = a0, b1 = a1;
        const dsp_word *p = x;
        w += 2;
        for (int32_t i = s->k; i > 0; i -= 4, p += 2 * pixels, w += 2) {
            uint32_t w0 = (uint32_t)w[0], w1 = (uint32_t)w[1];
            uint32_t even = dsp_sxtb16(w0), odd = dsp_sxtb16_ror8(w0);
            a0 = dsp_smlad(p[pixels], odd, dsp_smlad(p[0], even, a0));
            if (pixels > 1) b0 = dsp_smlad(p[3], odd, dsp_smlad(p[1], even, b0));
            even = dsp_sxtb16(w1), odd = dsp_sxtb16_ror8(w1);
            a1 = dsp_smlad(p[pixels], odd, dsp_smlad(p[0], even, a1));
            if (pixels > 1) b1 = dsp_smlad(p[3], odd, dsp_smlad(p[1], even, b1));
            PIN4(a0, a1, b0, b1);
        }
        const int32_t some = ragged ? left : 2;
        if (pixels > 1) {
            gemm_store2(s, w, 0, 0, a0, b0, some, out, pair);
            gemm_store2(s, w, 1, 0, a1, b1, some, out, pair);
        } else {
            gemm_store(s, w, 0, 0, a0, some, out);
            gemm_store(s, w, 1, 0, a1, some, out);
        }
        w += 2 * s->params;
    }
}

/* Expand `bytes` (rounded up to a multiple of 4, so up to 3 more are read) to words `step` apart. */
KERNEL dsp_word *gemm_expand(dsp_word *x, int32_t step, const uint8_t *in, int32_t bytes, int32_t is_signed)
{
    for (; bytes > 4; bytes -= 8, in += 8, x += 4 * step) {
        uint32_t a = dsp_load32(in), b = dsp_load32(in + 4);
        PIN2(a, b);
        x[0] = is_signed ? dsp_sxtb16(a) : dsp_uxtb16(a);
        x[step] = is_signed ? dsp_sxtb16_ror8(a) : dsp_uxtb16_ror8(a);
        x[2 * step] = is_signed ? dsp_sxtb16(b) : dsp_uxtb16(b);
        x[3 * step] = is_signed ? dsp_sxtb16_ror8(b) : dsp_uxtb16_ror8(b);
    }
    if (bytes > 0) {
        const uint32_t a = dsp_load32(in);
        x[0] = is_signed ? dsp_sxtb16(a) : dsp_uxtb16(a);
        x[step] = is_signed ? dsp_sxtb16_ror8(a) : dsp_uxtb16_ror8(a);
        x += 2 * step;
    }
    return x;
}

/* The same value in all lanes of `bytes` (rounded up to a multiple of 4) bytes. */
KERNEL dsp_word *gemm_fill(dsp_word *x, int32_t step, uint32_t lanes, int32_t bytes)
{
    PIN1(lanes); /* not a constant that occupies a register all through the matrix core */
    for (; bytes > 0; bytes -= 4, x += 2 * step) {
        x[0] = lanes;
        x[step] = lanes;
    }
    return x;
}
#endif
