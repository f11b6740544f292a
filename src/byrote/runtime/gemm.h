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
#include "gemm_steps.h"
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

/* x >> n as a stored byte. */
KERNEL uint8_t gemm_byte(const struct gemm *s, int32_t x, int32_t n)
{
    x = s->is_signed ? dsp_ssat8(x, n) : dsp_usat8(x, n);
    if (s->low > (s->is_signed ? -128 : 0) || s->high < (s->is_signed ? 127 : 255)) x = clamp(x, s->low, s->high);
    return (uint8_t)(x & 0xff);
}

/* Requantised and clamped channel; q: its parameters.  `odd`: the accumulator is 256 times the sum. */
KERNEL uint8_t gemm_result(const struct gemm *s, const int32_t *q, int32_t odd, int32_t acc)
{
    int32_t x, n = s->shift;
    if (s->form == GEMM_FLOOR) return gemm_byte(s, dsp_smmla(acc, q[0], q[1]), n + (odd ? 8 : 0));
    if (odd) acc >>= 8;
    acc = (int32_t)((uint32_t)acc << s->left);
    if (n == 0) n = q[2];
    if (s->form == GEMM_ONCE) x = dsp_smmla(acc, q[0], q[1]);
    else {
        x = dsp_smmulr(acc, q[0]);
        x += (x >> 31) + q[1];
    }
    return gemm_byte(s, x, n);
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

/* Channels i and i + 1 of two pixels, c and d, the odd one still mixed, by their (M, R): form GEMM_FLOOR. */
KERNEL void gemm_floor2(const struct gemm *s, int32_t i, int32_t m0, int32_t r0, int32_t m1, int32_t r1, int32_t c0,
                        int32_t c1, int32_t d0, int32_t d1, int32_t left, uint8_t *out, int32_t pair)
{
    uint8_t *const next = out + (i + 1) * s->step;
    out += i * s->step;
    if (i < left) {
        out[pair] = gemm_byte(s, dsp_smmla(d0, m0, r0), s->shift);
        out[0] = gemm_byte(s, dsp_smmla(c0, m0, r0), s->shift); /* the second store, so pair == 0 drops d */
    }
    if (i + 1 < left) {
        next[pair] = gemm_byte(s, dsp_smmla(d1, m1, r1), s->shift + 8);
        next[0] = gemm_byte(s, dsp_smmla(c1, m1, r1), s->shift + 8);
    }
}

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

/* What a loop over groups of channels keeps in memory: registers are for accumulators. */
struct gemm_state {
    uint8_t *out, *end;           /* the next results; behind the last, if groups are whole */
    const dsp_word *x, *x_end;    /* expanded activations; x_end: if they take several turns */
    int32_t left;                 /* channels, if the last group is not whole */
};

/* A step in a loop of turns: x, too, as if it were changed, or clang would keep it on the stack. */
#define GEMM_STEP_OF_TURN(i)                                                                                           \
    DSP_STEP_2X4(i);                                                                                                   \
    PIN1(x)

/* Two pixels, all channels, mixed lanes.  x: K words; the second pixel's results lie `pair` bytes after the first's. */
KERNEL void gemm_mixed_2(const struct gemm *s, const dsp_word *x, const int32_t *w, uint8_t *out, int32_t pair)
{
    const int32_t ragged = s->channels & 3;
    struct gemm_state z;
#if !BYROTE_DSP
    z.x_end = x, z.end = out, z.left = 0; /* members that are not used, or compilers warn of them */
#endif
    z.out = out, z.x = x;
    if (s->unroll < s->k) z.x_end = x + s->k;
    if (ragged) z.left = s->channels;
    else z.end = out + s->channels * s->step;
    POINTED_IN_MEMORY(&z);
    int32_t more;
    do {
        int32_t b0, b1, b2, b3;
        GEMM_FIXED(int32_t, a0, "r4");
        GEMM_FIXED(int32_t, a1, "r5");
        GEMM_FIXED(int32_t, a2, "r6");
        GEMM_FIXED(int32_t, a3, "r8");
        GEMM_FIXED(uint32_t, x0, "r0");
        GEMM_FIXED(uint32_t, x1, "r1");
        GEMM_FIXED(uint32_t, w0, "r2");
        GEMM_FIXED(uint32_t, w1, "r3");
        ALL_IN_MEMORY();
        DSP_LOAD_BIASES(w, a0, a1, a2, a3);
        x = z.x;
        if (s->unroll == s->k) {
            DSP_FIRST_2X4();
            GEMM_AFTER_FIRST(DSP_STEP_2X4)
            w += s->k + 4;
        } else { /* smaller code */
            b0 = a0, b1 = a1, b2 = a2, b3 = a3;
            do {
                GEMM_TURN(GEMM_STEP_OF_TURN)
                x += s->unroll;
                w += s->unroll;
            } while (x != z.x_end);
            w += 4;
        }
        const int32_t some = ragged ? z.left : 4;
        if (s->form == GEMM_FLOOR) {
            GEMM_FIXED(int32_t, m0, "r0");
            GEMM_FIXED(int32_t, r0, "r1");
            GEMM_FIXED(int32_t, m1, "r2");
            GEMM_FIXED(int32_t, r1, "r3");
            a1 = gemm_odd(a1, a0), b1 = gemm_odd(b1, b0);
            PIN2(a1, b1);
            DSP_LOAD_PARAMS(w, m0, r0, m1, r1);
            out = z.out;
            gemm_floor2(s, 0, m0, r0, m1, r1, a0, a1, b0, b1, some, out, pair);
            a3 = gemm_odd(a3, a2), b3 = gemm_odd(b3, b2);
            PIN2(a3, b3);
            DSP_LOAD_PARAMS(w, m0, r0, m1, r1);
            gemm_floor2(s, 2, m0, r0, m1, r1, a2, a3, b2, b3, some, out, pair);
        } else {
            out = z.out;
            gemm_store2(s, w, 0, 0, a0, b0, some, out, pair);
            gemm_store2(s, w, 1, 1, gemm_odd(a1, a0), gemm_odd(b1, b0), some, out, pair);
            gemm_store2(s, w, 2, 0, a2, b2, some, out, pair);
            gemm_store2(s, w, 3, 1, gemm_odd(a3, a2), gemm_odd(b3, b2), some, out, pair);
            w += 4 * s->params;
        }
        out += 4 * s->step;
        z.out = out;
        more = ragged ? (z.left -= 4) > 0 : out != z.end;
    } while (more);
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

/* Two runs of `bytes` bytes, the second `apart` bytes behind the first, to alternating words. */
KERNEL dsp_word *gemm_expand_2(dsp_word *x, const uint8_t *in, int32_t apart, int32_t bytes, int32_t is_signed)
{
    for (; bytes > 4; bytes -= 8, in += 8, x += 8) {
        uint32_t a = dsp_load32(in), b = dsp_load32(in + 4), c = dsp_load32(in + apart), d = dsp_load32(in + apart + 4);
        PIN4(a, b, c, d);
        /* Not as double words: such a store costs a cycle more than two. */
        x[0] = is_signed ? dsp_sxtb16(a) : dsp_uxtb16(a);
        x[2] = is_signed ? dsp_sxtb16_ror8(a) : dsp_uxtb16_ror8(a);
        x[4] = is_signed ? dsp_sxtb16(b) : dsp_uxtb16(b);
        x[6] = is_signed ? dsp_sxtb16_ror8(b) : dsp_uxtb16_ror8(b);
        ALL_IN_MEMORY();
        x[1] = is_signed ? dsp_sxtb16(c) : dsp_uxtb16(c);
        x[3] = is_signed ? dsp_sxtb16_ror8(c) : dsp_uxtb16_ror8(c);
        x[5] = is_signed ? dsp_sxtb16(d) : dsp_uxtb16(d);
        x[7] = is_signed ? dsp_sxtb16_ror8(d) : dsp_uxtb16_ror8(d);
    }
    if (bytes > 0) {
        uint32_t a = dsp_load32(in), c = dsp_load32(in + apart);
        PIN2(a, c);
        x[0] = is_signed ? dsp_sxtb16(a) : dsp_uxtb16(a);
        x[2] = is_signed ? dsp_sxtb16_ror8(a) : dsp_uxtb16_ror8(a);
        ALL_IN_MEMORY();
        x[1] = is_signed ? dsp_sxtb16(c) : dsp_uxtb16(c);
        x[3] = is_signed ? dsp_sxtb16_ror8(c) : dsp_uxtb16_ror8(c);
        x += 4;
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
