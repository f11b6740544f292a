/*
 * Steps of the matrix kernels (gemm.h): several instructions in the order in which loads pipeline best.
 *
 * A word of mixed-lane weights holds 256 * odd + even per lane: SMLAD with it sums 256 * odd + even, SMLAD with its low
 * bytes sums even.  `i` is a literal: the position of the step's words at x and after the biases at w.  Each step is
 * pieces of assembler, none with too many operands: a compiler that keeps a frame pointer spills, but finds registers.
 * BYROTE_FUSED_STEPS 0 takes C instead.
 */
#ifndef BYROTE_GEMM_STEPS_H
#define BYROTE_GEMM_STEPS_H
#include "dsp.h"

#ifndef BYROTE_FUSED_STEPS
#define BYROTE_FUSED_STEPS BYROTE_DSP
#endif

#if BYROTE_FUSED_STEPS
/* c0, c1: even and odd channel of the first pixel; d0, d1: of the second; w is extended in place. */
#define DSP_PAIR_2X2(x0, x1, w, c0, c1, d0, d1)                                                                        \
    "smlad %[" d1 "], %[" x1 "], %[" w "], %[" d1 "]\n\tsmlad %[" c1 "], %[" x0 "], %[" w "], %[" c1 "]\n\t"           \
    "sxtb16 %[" w "], %[" w "]\n\t"                                                                                    \
    "smlad %[" d0 "], %[" x1 "], %[" w "], %[" d0 "]\n\tsmlad %[" c0 "], %[" x0 "], %[" w "], %[" c0 "]"

/* Two pixels (a, b) x four channels: 14 instructions, 15 cycles for 16 products.  w as if it were changed: of all values
 * in the loop it is read least often, and clang would keep it on the stack. */
#define DSP_STEP_2X4(i)                                                                                                \
    do {                                                                                                               \
        __asm__ volatile("ldr %[x0], [%[x], #(4 * (" #i "))]\n\tldr %[x1], [%[x], #(4 * (" #i ") + 4)]\n\t"            \
                         "ldr %[w0], [%[w], #(4 * (" #i ") + 16)]\n\tldr %[w1], [%[w], #(4 * (" #i ") + 20)]\n\t"      \
                         DSP_PAIR_2X2("x0", "x1", "w0", "a0", "a1", "b0", "b1")                                        \
                         : [a0] "+r"(a0), [a1] "+r"(a1), [b0] "+r"(b0), [b1] "+r"(b1), [x0] "=&r"(x0),                 \
                           [x1] "=&r"(x1), [w0] "=&r"(w0), [w1] "=&r"(w1), [w] "+r"(w)                                 \
                         : [x] "r"(x)                                                                                  \
                         : "memory");                                                                                  \
        __asm__ volatile(DSP_PAIR_2X2("x0", "x1", "w1", "a2", "a3", "b2", "b3")                                        \
                         : [a2] "+r"(a2), [a3] "+r"(a3), [b2] "+r"(b2), [b3] "+r"(b3), [w1] "+r"(w1)                   \
                         : [x0] "r"(x0), [x1] "r"(x1));                                                                \
    } while (0)

/* The first step: b0..b3 start from a0..a3. */
#define DSP_FIRST_PAIR_2X2(x0, x1, w, c0, c1, d0, d1)                                                                  \
    "smlad %[" d1 "], %[" x1 "], %[" w "], %[" c1 "]\n\tsmlad %[" c1 "], %[" x0 "], %[" w "], %[" c1 "]\n\t"           \
    "sxtb16 %[" w "], %[" w "]\n\t"                                                                                    \
    "smlad %[" d0 "], %[" x1 "], %[" w "], %[" c0 "]\n\tsmlad %[" c0 "], %[" x0 "], %[" w "], %[" c0 "]"
#define DSP_FIRST_2X4()                                                                                                \
    do {                                                                                                               \
        __asm__ volatile("ldr %[w0], [%[w], #16]\n\tldr %[w1], [%[w], #20]\n\t" /* x may just have been loaded, too */ \
                         "ldr %[x0], [%[x]]\n\tldr %[x1], [%[x], #4]\n\t"                                              \
                         DSP_FIRST_PAIR_2X2("x0", "x1", "w0", "a0", "a1", "b0", "b1")                                  \
                         : [a0] "+r"(a0), [a1] "+r"(a1), [b0] "=&r"(b0), [b1] "=&r"(b1), [x0] "=&r"(x0),               \
                           [x1] "=&r"(x1), [w0] "=&r"(w0), [w1] "=&r"(w1), [w] "+r"(w)                                 \
                         : [x] "r"(x)                                                                                  \
                         : "memory");                                                                                  \
        __asm__ volatile(DSP_FIRST_PAIR_2X2("x0", "x1", "w1", "a2", "a3", "b2", "b3")                                  \
                         : [a2] "+r"(a2), [a3] "+r"(a3), [b2] "=&r"(b2), [b3] "=&r"(b3), [w1] "+r"(w1)                 \
                         : [x0] "r"(x0), [x1] "r"(x1));                                                                \
    } while (0)

/*
 * Four words at once, 5 cycles: biases at w, or (M, R) of two channels at w, which moves on.  They go to variables that
 * are GEMM_FIXED to ascending registers.
 */
#define DSP_LOAD_PARAMS(w, q0, q1, q2, q3)                                                                             \
    __asm__ volatile("ldm %[q]!, {%[r0], %[r1], %[r2], %[r3]}"                                                         \
                     : [r0] "=r"(q0), [r1] "=r"(q1), [r2] "=r"(q2), [r3] "=r"(q3), [q] "+r"(w)                         \
                     :                                                                                                 \
                     : "memory")
#define DSP_LOAD_BIASES(w, q0, q1, q2, q3)                                                                             \
    __asm__ volatile("ldm %[q], {%[r0], %[r1], %[r2], %[r3]}"                                                          \
                     : [r0] "=r"(q0), [r1] "=r"(q1), [r2] "=r"(q2), [r3] "=r"(q3)                                      \
                     : [q] "r"(w)                                                                                      \
                     : "memory")
#define GEMM_FIXED(type, name, fixed) register type name __asm__(fixed)

/* Two words of weights at w + `at` bytes x one pixel's lanes v. */
#define DSP_QUAD_1X4(at, v, c0, c1, c2, c3)                                                                            \
    __asm__ volatile("ldr %[w0], [%[pw], #(" at ")]\n\tldr %[w1], [%[pw], #(" at " + 4)]\n\t"                          \
                     "smlad %[r1], %[lanes], %[w0], %[r1]\n\tsxtb16 %[w0], %[w0]\n\t"                                  \
                     "smlad %[r3], %[lanes], %[w1], %[r3]\n\tsxtb16 %[w1], %[w1]\n\t"                                  \
                     "smlad %[r0], %[lanes], %[w0], %[r0]\n\tsmlad %[r2], %[lanes], %[w1], %[r2]"                      \
                     : [r0] "+r"(c0), [r1] "+r"(c1), [r2] "+r"(c2), [r3] "+r"(c3), [w0] "=&r"(w0), [w1] "=&r"(w1)      \
                     : [lanes] "r"(v), [pw] "r"(w)                                                                     \
                     : "memory")

/* One pixel x eight channels, the second four at u: 17 instructions, 19 cycles for 16 products. */
#define DSP_STEP_1X8(i)                                                                                                \
    do {                                                                                                               \
        __asm__ volatile("ldr %[v], [%[x], #(2 * (" #i "))]\n\t"                                                       \
                         "ldr %[w0], [%[w], #(4 * (" #i ") + 16)]\n\tldr %[w1], [%[w], #(4 * (" #i ") + 20)]\n\t"      \
                         "smlad %[a1], %[v], %[w0], %[a1]\n\tsxtb16 %[w0], %[w0]\n\t"                                  \
                         "smlad %[a3], %[v], %[w1], %[a3]\n\tsxtb16 %[w1], %[w1]\n\t"                                  \
                         "smlad %[a0], %[v], %[w0], %[a0]\n\tsmlad %[a2], %[v], %[w1], %[a2]"                          \
                         : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [v] "=&r"(v), [w0] "=&r"(w0),   \
                           [w1] "=&r"(w1)                                                                              \
                         : [x] "r"(x), [w] "r"(w)                                                                      \
                         : "memory");                                                                                  \
        __asm__ volatile("ldr %[w0], [%[u], #(4 * (" #i ") + 16)]\n\tldr %[w1], [%[u], #(4 * (" #i ") + 20)]\n\t"      \
                         "smlad %[b1], %[v], %[w0], %[b1]\n\tsxtb16 %[w0], %[w0]\n\t"                                  \
                         "smlad %[b3], %[v], %[w1], %[b3]\n\tsxtb16 %[w1], %[w1]\n\t"                                  \
                         "smlad %[b0], %[v], %[w0], %[b0]\n\tsmlad %[b2], %[v], %[w1], %[b2]"                          \
                         : [b0] "+r"(b0), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [w0] "=&r"(w0), [w1] "=&r"(w1)  \
                         : [v] "r"(v), [u] "r"(u)                                                                      \
                         : "memory");                                                                                  \
    } while (0)

/* Four bytes of one vector x eight channels, extended on the fly (uxtb16 or sxtb16): 35 instructions, 39 cycles. */
#define DSP_BYTES_1X8(extend, i)                                                                                       \
    do {                                                                                                               \
        __asm__ volatile("ldr %[t], [%[x], #(" #i ")]\n\t"                                                             \
                         "ldr %[w0], [%[w], #(8 * (" #i ") + 32)]\n\tldr %[w1], [%[w], #(8 * (" #i ") + 36)]\n\t"      \
                         #extend " %[v], %[t]\n\t"                                                                     \
                         "smlad %[a1], %[v], %[w0], %[a1]\n\tsxtb16 %[w0], %[w0]\n\t"                                  \
                         "smlad %[a3], %[v], %[w1], %[a3]\n\tsxtb16 %[w1], %[w1]\n\t"                                  \
                         "smlad %[a0], %[v], %[w0], %[a0]\n\tsmlad %[a2], %[v], %[w1], %[a2]"                          \
                         : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [t] "=&r"(t), [v] "=&r"(v),     \
                           [w0] "=&r"(w0), [w1] "=&r"(w1)                                                              \
                         : [x] "r"(x), [w] "r"(w)                                                                      \
                         : "memory");                                                                                  \
        DSP_QUAD_1X4("8 * (" #i ") + 40", v, b0, b1, b2, b3);                                                          \
        t = dsp_##extend##_ror8(t);                                                                                    \
        DSP_QUAD_1X4("8 * (" #i ") + 48", t, a0, a1, a2, a3);                                                          \
        DSP_QUAD_1X4("8 * (" #i ") + 56", t, b0, b1, b2, b3);                                                          \
    } while (0)
#else
#define DSP_STEP_2X4(i)                                                                                                \
    do {                                                                                                               \
        x0 = x[i], x1 = x[(i) + 1], w0 = (uint32_t)w[(i) + 4], w1 = (uint32_t)w[(i) + 5];                              \
        PIN4(x0, x1, w0, w1); /* four loads in a row */                                                                \
        b1 = dsp_smlad(x1, w0, b1), a1 = dsp_smlad(x0, w0, a1), w0 = dsp_sxtb16(w0);                                   \
        b3 = dsp_smlad(x1, w1, b3), a3 = dsp_smlad(x0, w1, a3), w1 = dsp_sxtb16(w1);                                   \
        b0 = dsp_smlad(x1, w0, b0), a0 = dsp_smlad(x0, w0, a0);                                                        \
        b2 = dsp_smlad(x1, w1, b2), a2 = dsp_smlad(x0, w1, a2);                                                        \
        PIN8(a0, a1, a2, a3, b0, b1, b2, b3);                                                                          \
    } while (0)
#define DSP_FIRST_2X4()                                                                                                \
    do {                                                                                                               \
        b0 = a0, b1 = a1, b2 = a2, b3 = a3;                                                                            \
        DSP_STEP_2X4(0);                                                                                               \
    } while (0)
#define DSP_LOAD_PARAMS(w, q0, q1, q2, q3) (q0 = w[0], q1 = w[1], q2 = w[2], q3 = w[3], w += 4)
#define DSP_LOAD_BIASES(w, q0, q1, q2, q3) (q0 = w[0], q1 = w[1], q2 = w[2], q3 = w[3])
#define GEMM_FIXED(type, name, fixed) type name
#define DSP_STEP_1X8(i)                                                                                                \
    do {                                                                                                               \
        v = x[(i) / 2], w0 = (uint32_t)w[(i) + 4], w1 = (uint32_t)w[(i) + 5];                                          \
        a1 = dsp_smlad(v, w0, a1), a3 = dsp_smlad(v, w1, a3);                                                          \
        a0 = dsp_smlad(v, dsp_sxtb16(w0), a0), a2 = dsp_smlad(v, dsp_sxtb16(w1), a2);                                  \
        w0 = (uint32_t)u[(i) + 4], w1 = (uint32_t)u[(i) + 5];                                                          \
        b1 = dsp_smlad(v, w0, b1), b3 = dsp_smlad(v, w1, b3);                                                          \
        b0 = dsp_smlad(v, dsp_sxtb16(w0), b0), b2 = dsp_smlad(v, dsp_sxtb16(w1), b2);                                  \
        PIN8(a0, a1, a2, a3, b0, b1, b2, b3);                                                                          \
    } while (0)
#define DSP_HALF_1X8(at)                                                                                               \
    w0 = (uint32_t)w[at], w1 = (uint32_t)w[(at) + 1];                                                                  \
    a1 = dsp_smlad(v, w0, a1), a3 = dsp_smlad(v, w1, a3);                                                              \
    a0 = dsp_smlad(v, dsp_sxtb16(w0), a0), a2 = dsp_smlad(v, dsp_sxtb16(w1), a2);                                      \
    w0 = (uint32_t)w[(at) + 2], w1 = (uint32_t)w[(at) + 3];                                                            \
    b1 = dsp_smlad(v, w0, b1), b3 = dsp_smlad(v, w1, b3);                                                              \
    b0 = dsp_smlad(v, dsp_sxtb16(w0), b0), b2 = dsp_smlad(v, dsp_sxtb16(w1), b2);                                      \
    PIN8(a0, a1, a2, a3, b0, b1, b2, b3)
#define DSP_BYTES_1X8(extend, i)                                                                                       \
    do {                                                                                                               \
        t = dsp_load32(x + (i)), v = dsp_##extend(t);                                                                  \
        DSP_HALF_1X8(2 * (i) + 8);                                                                                     \
        v = dsp_##extend##_ror8(t);                                                                                    \
        DSP_HALF_1X8(2 * (i) + 12);                                                                                    \
    } while (0)
#endif
#endif
