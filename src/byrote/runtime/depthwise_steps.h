/*
 * A step of the depthwise 3x3 kernel on channel planes (depthwise3x3_dsp.h): several instructions in the order in which
 * loads pipeline best.
 *
 * DSP_THREE_LINES: one output row from three lines `row` bytes apart (a constant, 2 * row <= 4095).  c, d become the sums
 * of the windows centred at bytes 1 and 2 of the words at `in`, which moves on by two bytes.  Taps are lanes: s0..s2 are
 * (left, right) of each line, m01 the middle ones of lines 0 and 1, m2 that of line 2 in its low lane.
 */
#ifndef BYROTE_DEPTHWISE_STEPS_H
#define BYROTE_DEPTHWISE_STEPS_H
#include "dsp.h"

#if BYROTE_DSP
/* One piece of assembler: it needs every register that there is.  Taps as if they were changed, or clang would keep them
 * on the stack. */
#define DSP_LINE_OF_THREE(word, sides, middle, half, c_from, d_from)                                                   \
    "uxtb16 %[e], %[" word "]\n\tuxtb16 %[" word "], %[" word "], ror #8\n\t"                                          \
    "smlad %[c], %[e], %[" sides "], %[" c_from "]\n\tsmlab" half " %[c], %[" word "], %[" middle "], %[c]\n\t"        \
    "smlad %[d], %[" word "], %[" sides "], %[" d_from "]\n\tsmlat" half " %[d], %[e], %[" middle "], %[d]\n\t"
#define DSP_THREE_LINES(in, row, s0, s1, s2, m01, m2, bias, c, d)                                                      \
    do {                                                                                                               \
        uint32_t y_, z_, even_;                                                                                        \
        __asm__ volatile("ldr %[y], [%[p], %[row1]]\n\tldr %[z], [%[p], %[row2]]\n\tldr %[d], [%[p]], #2\n\t"          \
                         DSP_LINE_OF_THREE("d", "w0", "w01", "b", "b0", "b0")                                          \
                         DSP_LINE_OF_THREE("y", "w1", "w01", "t", "c", "d")                                            \
                         DSP_LINE_OF_THREE("z", "w2", "w22", "b", "c", "d")                                            \
                         : [c] "=&r"(c), [d] "=&r"(d), [y] "=&r"(y_), [z] "=&r"(z_), [e] "=&r"(even_), [p] "+r"(in),   \
                           [w0] "+r"(s0), [w1] "+r"(s1), [w2] "+r"(s2), [w01] "+r"(m01), [w22] "+r"(m2),               \
                           [b0] "+r"(bias)                                                                             \
                         : [row1] "i"(row), [row2] "i"(2 * (row))                                                      \
                         : "memory");                                                                                  \
    } while (0)
#else
#define DSP_LINE_OF_THREE(p, sides, middle, half, c, d)                                                                \
    do {                                                                                                               \
        const uint32_t v_ = dsp_load32(p), even_ = dsp_uxtb16(v_), odd_ = dsp_uxtb16_ror8(v_);                         \
        c = dsp_smlab##half(odd_, middle, dsp_smlad(even_, sides, c));                                                 \
        d = dsp_smlat##half(even_, middle, dsp_smlad(odd_, sides, d));                                                 \
    } while (0)
#define DSP_THREE_LINES(in, row, s0, s1, s2, m01, m2, bias, c, d)                                                      \
    do {                                                                                                               \
        c = d = bias;                                                                                                  \
        DSP_LINE_OF_THREE(in, s0, m01, b, c, d);                                                                       \
        DSP_LINE_OF_THREE(in + (row), s1, m01, t, c, d);                                                               \
        DSP_LINE_OF_THREE(in + 2 * (row), s2, m2, b, c, d);                                                            \
        in += 2;                                                                                                       \
    } while (0)
#endif
#endif
