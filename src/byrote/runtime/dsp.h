/*
 * One-instruction primitives of the Arm DSP extension (Cortex-M4, M7, M33 with DSP), named after the instructions.
 *
 * Each has two bodies with the same result: one line of assembler (or the compiler's builtin) where the compiler
 * targets the extension and optimises, portable C without a branch on data otherwise (hosts, sanitizers, unoptimised
 * builds).  Not <arm_acle.h>: its types differ between compilers, and GCC spends two instructions on some.
 * BYROTE_DSP says which; define it to 0 to force the portable bodies.
 *
 * A word holds four bytes b0..b3 or two 16-bit lanes (low, high), the lowest address or lane in the low bits.
 */
#ifndef BYROTE_DSP_H
#define BYROTE_DSP_H
#include <stdint.h>
#include "rows.h"

#ifndef BYROTE_DSP
#if defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32) && defined(__OPTIMIZE__)
#define BYROTE_DSP 1
#else
#define BYROTE_DSP 0
#endif
#endif

/* Words in the arena that are written as bytes elsewhere. */
typedef uint32_t __attribute__((may_alias)) dsp_word;

/* ---- scheduling fences: no instruction, no effect on values ---- */

/* The values are in registers here: keeps loads from being hoisted over this point and accumulators from being copied. */
#if BYROTE_DSP
#define PIN1(a) __asm__ volatile("" : "+r"(a))
#define PIN2(a, b) __asm__ volatile("" : "+r"(a), "+r"(b))
#define PIN3(a, b, c) __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c))
#define PIN4(a, b, c, d) __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d))
#define PIN8(a, b, c, d, e, f, g, h)                                                                                   \
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h))
/* The array x is in memory here, its elements in no register: a pointer kept in it costs no register in a hot loop. */
#define IN_MEMORY(x) __asm__ volatile("" : "+m"(x))
/* What p points to is in memory here, in no register. */
#define POINTED_IN_MEMORY(p) __asm__ volatile("" : : "r"(p) : "memory")
/* The same for everything that a POINTED_IN_MEMORY before has named: costs no address. */
#define ALL_IN_MEMORY() __asm__ volatile("" : : : "memory")
#else
#define PIN1(a) ((void)(a))
#define PIN2(a, b) ((void)(a), (void)(b))
#define PIN3(a, b, c) ((void)(a), (void)(b), (void)(c))
#define PIN4(a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#define PIN8(a, b, c, d, e, f, g, h)                                                                                   \
    ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e), (void)(f), (void)(g), (void)(h))
#define IN_MEMORY(x) ((void)(x))
#define POINTED_IN_MEMORY(p) ((void)(p))
#define ALL_IN_MEMORY() ((void)0)
#endif

/* ---- loads and stores at any address ---- */

KERNEL uint32_t dsp_load32(const uint8_t *p)
{
#if BYROTE_DSP
    uint32_t v;
    __builtin_memcpy(&v, p, 4);
    return v;
#else
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
#endif
}

KERNEL uint32_t dsp_load16(const uint8_t *p)
{
#if BYROTE_DSP
    uint16_t v;
    __builtin_memcpy(&v, p, 2);
    return v;
#else
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
#endif
}

KERNEL void dsp_store32(uint8_t *p, uint32_t v)
{
#if BYROTE_DSP
    __builtin_memcpy(p, &v, 4);
#else
    p[0] = (uint8_t)(v & 0xffu);
    p[1] = (uint8_t)(v >> 8 & 0xffu);
    p[2] = (uint8_t)(v >> 16 & 0xffu);
    p[3] = (uint8_t)(v >> 24);
#endif
}

KERNEL void dsp_store16(uint8_t *p, uint32_t v)
{
#if BYROTE_DSP
    const uint16_t half = (uint16_t)(v & 0xffffu);
    __builtin_memcpy(p, &half, 2);
#else
    p[0] = (uint8_t)(v & 0xffu);
    p[1] = (uint8_t)(v >> 8 & 0xffu);
#endif
}

/* ---- bytes to lanes ---- */

/* Lanes (b0, b2), zero-extended. */
KERNEL uint32_t dsp_uxtb16(uint32_t v)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("uxtb16 %0, %1" : "=r"(r) : "r"(v));
    return r;
#else
    return v & 0x00ff00ffu;
#endif
}

/* Lanes (b1, b3), zero-extended. */
KERNEL uint32_t dsp_uxtb16_ror8(uint32_t v)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(r) : "r"(v));
    return r;
#else
    return v >> 8 & 0x00ff00ffu;
#endif
}

/* Lanes (b0, b2), sign-extended. */
KERNEL uint32_t dsp_sxtb16(uint32_t v)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("sxtb16 %0, %1" : "=r"(r) : "r"(v));
    return r;
#else
    const uint32_t low = ((v & 0xffu) ^ 0x80u) - 0x80u, high = ((v >> 16 & 0xffu) ^ 0x80u) - 0x80u;
    return (low & 0xffffu) | high << 16;
#endif
}

/* Lanes (b1, b3), sign-extended. */
KERNEL uint32_t dsp_sxtb16_ror8(uint32_t v)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(v));
    return r;
#else
    return dsp_sxtb16(v >> 8);
#endif
}

/* ---- packing lanes ---- */

/* Lanes (low of a, low of b). */
KERNEL uint32_t dsp_pkhbt(uint32_t a, uint32_t b)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return (a & 0xffffu) | b << 16;
#endif
}

/* Lanes (high of a, high of b). */
KERNEL uint32_t dsp_pkhtb(uint32_t a, uint32_t b)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(r) : "r"(b), "r"(a));
    return r;
#else
    return a >> 16 | (b & 0xffff0000u);
#endif
}

/* ---- sums and differences of lanes, each modulo 2^16 ---- */

/* Lanes (a.low + b.low, a.high + b.high). */
KERNEL uint32_t dsp_sadd16(uint32_t a, uint32_t b)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("sadd16 %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return ((a + b) & 0xffffu) | ((a >> 16) + (b >> 16)) << 16;
#endif
}

/* Lanes (a.low - b.low, a.high - b.high). */
KERNEL uint32_t dsp_ssub16(uint32_t a, uint32_t b)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("ssub16 %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return ((a - b) & 0xffffu) | ((a >> 16) - (b >> 16)) << 16;
#endif
}

/* ---- four bytes, unsigned ---- */

/* The larger, and the smaller, byte by byte. */
KERNEL uint32_t dsp_max_u8(uint32_t a, uint32_t b)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("uqsub8 %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    __asm__("uadd8 %0, %1, %2" : "=r"(r) : "r"(r), "r"(b));
    return r;
#else
    uint32_t r = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        const int32_t p = (int32_t)(a >> shift & 0xffu), q = (int32_t)(b >> shift & 0xffu);
        r |= (uint32_t)(q + ((p - q) & ~((p - q) >> 31))) << shift;
    }
    return r;
#endif
}

KERNEL uint32_t dsp_min_u8(uint32_t a, uint32_t b)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("uqsub8 %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    __asm__("usub8 %0, %1, %2" : "=r"(r) : "r"(a), "r"(r));
    return r;
#else
    return ~dsp_max_u8(~a, ~b);
#endif
}

/* ---- multiply and accumulate; sums wrap modulo 2^32 ---- */

/* Value of the low and of the high lane. */
KERNEL int32_t dsp_low(uint32_t v) { return (int32_t)((v & 0xffffu) ^ 0x8000u) - 0x8000; }
KERNEL int32_t dsp_high(uint32_t v) { return (int32_t)(v >> 16 ^ 0x8000u) - 0x8000; }

/* a + x.low * w.low + x.high * w.high */
KERNEL int32_t dsp_smlad(uint32_t x, uint32_t w, int32_t a)
{
#if BYROTE_DSP
    int32_t r;
    __asm__("smlad %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(w), "r"(a));
    return r;
#else
    const uint32_t low = (uint32_t)(dsp_low(x) * dsp_low(w)), high = (uint32_t)(dsp_high(x) * dsp_high(w));
    return (int32_t)((uint32_t)a + low + high);
#endif
}

/* x.low * w.low + x.high * w.high */
KERNEL int32_t dsp_smuad(uint32_t x, uint32_t w)
{
#if BYROTE_DSP
    int32_t r;
    __asm__("smuad %0, %1, %2" : "=r"(r) : "r"(x), "r"(w));
    return r;
#else
    return dsp_smlad(x, w, 0);
#endif
}

/* a + one lane of x * one lane of w: B is the low lane, T the high one, x first. */
#if BYROTE_DSP
#define DSP_SMLA(name, x_lane, w_lane)                                                                                 \
    KERNEL int32_t dsp_##name(uint32_t x, uint32_t w, int32_t a)                                                       \
    {                                                                                                                  \
        int32_t r;                                                                                                     \
        __asm__(#name " %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(w), "r"(a));                                           \
        return r;                                                                                                      \
    }
#else
#define DSP_SMLA(name, x_lane, w_lane)                                                                                 \
    KERNEL int32_t dsp_##name(uint32_t x, uint32_t w, int32_t a)                                                       \
    {                                                                                                                  \
        return (int32_t)((uint32_t)a + (uint32_t)(x_lane(x) * w_lane(w)));                                             \
    }
#endif
DSP_SMLA(smlabb, dsp_low, dsp_low)
DSP_SMLA(smlabt, dsp_low, dsp_high)
DSP_SMLA(smlatb, dsp_high, dsp_low)
DSP_SMLA(smlatt, dsp_high, dsp_high)

/* High word of a * b. */
KERNEL int32_t dsp_smmul(int32_t a, int32_t b)
{
#if BYROTE_DSP /* GCC would use SMULL, and a register more */
    int32_t r;
    __asm__("smmul %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return (int32_t)((int64_t)a * b >> 32);
#endif
}

/* High word of a * b + 2^31: rounded to nearest, halves up. */
KERNEL int32_t dsp_smmulr(int32_t a, int32_t b)
{
#if BYROTE_DSP
    int32_t r;
    __asm__("smmulr %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return (int32_t)(((int64_t)a * b + INT64_C(0x80000000)) >> 32);
#endif
}

/* High word of a * b + c * 2^32. */
KERNEL int32_t dsp_smmla(int32_t a, int32_t b, int32_t c)
{
#if BYROTE_DSP
    int32_t r;
    __asm__("smmla %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return (int32_t)((uint32_t)dsp_smmul(a, b) + (uint32_t)c);
#endif
}

/* acc + |a.b0 - b.b0| + ... + |a.b3 - b.b3|, bytes unsigned; b = 0 adds the bytes of a. */
KERNEL uint32_t dsp_usada8(uint32_t a, uint32_t b, uint32_t acc)
{
#if BYROTE_DSP
    uint32_t r;
    __asm__("usada8 %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(acc));
    return r;
#else
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        const int32_t d = (int32_t)(a >> shift & 0xffu) - (int32_t)(b >> shift & 0xffu), sign = d >> 31;
        acc += (uint32_t)((d ^ sign) - sign);
    }
    return acc;
#endif
}

/*
 * a0..a3 += x[2i] * w[4i..4i+3] and b0..b3 += x[2i + 1] * w[4i..4i+3], both lanes of each; i a constant, x and w pointers to words.
 * One piece of assembler: GCC would pair the loads (a cycle more each) and copy accumulators.
 */
#if BYROTE_DSP
#define DSP_LOAD_PAIR(r0, r1, base, offset, more)                                                                      \
    "ldr %[" r0 "], [%[" base "], %[" offset "]" more "]\n\tldr %[" r1 "], [%[" base "], %[" offset "]" more " + 4]\n\t"
/* Two halves, so that a compiler that keeps a frame pointer finds enough registers, too. */
#define DSP_PRODUCTS_2X4(x, w, i, a0, a1, a2, a3, b0, b1, b2, b3)                                                      \
    do {                                                                                                               \
        uint32_t x0_, x1_, w0_, w1_, w2_, w3_;                                                                         \
        __asm__ volatile(DSP_LOAD_PAIR("x0", "x1", "px", "ox", "") DSP_LOAD_PAIR("w0", "w1", "pw", "ow", "")           \
                         "smlad %[c0], %[x0], %[w0], %[c0]\n\tsmlad %[d0], %[x1], %[w0], %[d0]\n\t"                    \
                         "smlad %[c1], %[x0], %[w1], %[c1]\n\tsmlad %[d1], %[x1], %[w1], %[d1]"                        \
                         : [c0] "+r"(a0), [c1] "+r"(a1), [d0] "+r"(b0), [d1] "+r"(b1), [x0] "=&r"(x0_),                \
                           [x1] "=&r"(x1_), [w0] "=&r"(w0_), [w1] "=&r"(w1_)                                           \
                         : [px] "r"(x), [pw] "r"(w), [ox] "I"(8 * (i)), [ow] "I"(16 * (i))                             \
                         : "memory");                                                                                  \
        __asm__ volatile(DSP_LOAD_PAIR("w0", "w1", "pw", "ow", " + 8")                                                 \
                         "smlad %[c2], %[x0], %[w0], %[c2]\n\tsmlad %[d2], %[x1], %[w0], %[d2]\n\t"                    \
                         "smlad %[c3], %[x0], %[w1], %[c3]\n\tsmlad %[d3], %[x1], %[w1], %[d3]"                        \
                         : [c2] "+r"(a2), [c3] "+r"(a3), [d2] "+r"(b2), [d3] "+r"(b3), [w0] "=&r"(w2_),                \
                           [w1] "=&r"(w3_)                                                                             \
                         : [x0] "r"(x0_), [x1] "r"(x1_), [pw] "r"(w), [ow] "I"(16 * (i))                               \
                         : "memory");                                                                                  \
    } while (0)
/* The same with i = 0, and a0..b3 begin at 0. */
#define DSP_FIRST_PRODUCTS_2X4(x, w, a0, a1, a2, a3, b0, b1, b2, b3)                                                   \
    do {                                                                                                               \
        uint32_t x0_, x1_, w0_, w1_, w2_, w3_;                                                                         \
        __asm__ volatile(DSP_LOAD_PAIR("x0", "x1", "px", "ox", "") DSP_LOAD_PAIR("w0", "w1", "pw", "ox", "")           \
                         "smuad %[c0], %[x0], %[w0]\n\tsmuad %[d0], %[x1], %[w0]\n\t"                                  \
                         "smuad %[c1], %[x0], %[w1]\n\tsmuad %[d1], %[x1], %[w1]"                                      \
                         : [c0] "=&r"(a0), [c1] "=&r"(a1), [d0] "=&r"(b0), [d1] "=&r"(b1), [x0] "=&r"(x0_),            \
                           [x1] "=&r"(x1_), [w0] "=&r"(w0_), [w1] "=&r"(w1_)                                           \
                         : [px] "r"(x), [pw] "r"(w), [ox] "I"(0)                                                       \
                         : "memory");                                                                                  \
        __asm__ volatile(DSP_LOAD_PAIR("w0", "w1", "pw", "ox", " + 8")                                                 \
                         "smuad %[c2], %[x0], %[w0]\n\tsmuad %[d2], %[x1], %[w0]\n\t"                                  \
                         "smuad %[c3], %[x0], %[w1]\n\tsmuad %[d3], %[x1], %[w1]"                                      \
                         : [c2] "=&r"(a2), [c3] "=&r"(a3), [d2] "=&r"(b2), [d3] "=&r"(b3), [w0] "=&r"(w2_),            \
                           [w1] "=&r"(w3_)                                                                             \
                         : [x0] "r"(x0_), [x1] "r"(x1_), [pw] "r"(w), [ox] "I"(0)                                      \
                         : "memory");                                                                                  \
    } while (0)
#else
#define DSP_PRODUCTS_2X4(x, w, i, a0, a1, a2, a3, b0, b1, b2, b3)                                                      \
    do {                                                                                                               \
        const uint32_t x0_ = (x)[2 * (i)], x1_ = (x)[2 * (i) + 1];                                                     \
        a0 = dsp_smlad(x0_, (uint32_t)(w)[4 * (i)], a0);                                                               \
        b0 = dsp_smlad(x1_, (uint32_t)(w)[4 * (i)], b0);                                                               \
        a1 = dsp_smlad(x0_, (uint32_t)(w)[4 * (i) + 1], a1);                                                           \
        b1 = dsp_smlad(x1_, (uint32_t)(w)[4 * (i) + 1], b1);                                                           \
        a2 = dsp_smlad(x0_, (uint32_t)(w)[4 * (i) + 2], a2);                                                           \
        b2 = dsp_smlad(x1_, (uint32_t)(w)[4 * (i) + 2], b2);                                                           \
        a3 = dsp_smlad(x0_, (uint32_t)(w)[4 * (i) + 3], a3);                                                           \
        b3 = dsp_smlad(x1_, (uint32_t)(w)[4 * (i) + 3], b3);                                                           \
    } while (0)
#define DSP_FIRST_PRODUCTS_2X4(x, w, a0, a1, a2, a3, b0, b1, b2, b3)                                                   \
    do {                                                                                                               \
        a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0;                                                                     \
        DSP_PRODUCTS_2X4(x, w, 0, a0, a1, a2, a3, b0, b1, b2, b3);                                                     \
    } while (0)
#endif

/* ---- saturation of x >> shift; `shift` is a constant where the call is inlined ---- */

/* clamp(x >> shift, 0, 255) */
KERNEL int32_t dsp_usat8(int32_t x, int32_t shift)
{
#if BYROTE_DSP
    return (int32_t)__builtin_arm_usat(x >> shift, 8);
#else
    int32_t v = x >> shift;
    v &= ~(v >> 31);
    const int32_t over = (255 - v) >> 31;
    return (v & ~over) | (255 & over);
#endif
}

/* clamp(x >> shift, -128, 127) */
KERNEL int32_t dsp_ssat8(int32_t x, int32_t shift)
{
#if BYROTE_DSP
    return (int32_t)__builtin_arm_ssat(x >> shift, 8);
#else
    const int64_t v = (x >> shift) + INT64_C(128), positive = v & ~(v >> 63), over = (255 - positive) >> 63;
    return (int32_t)((positive & ~over) | (255 & over)) - 128;
#endif
}

#undef DSP_SMLA
#endif
