/*
 * ADD and SUB of two tensors of one shape as one line through all 65,536 pairs of bytes: cores with the DSP extension.
 *
 * The output is clamp((a * factor_a + b * factor_b + offset) >> shift) to the range of its type; a, b: bytes as stored.  ops/
 * elementwise/sum_dsp.py admits the constants only if every pair equals the reference.  Any layout, as long as all three
 * tensors are stored in the same; bytes between the columns are added, too, and mean nothing.
 */
#ifndef BYROTE_SUM_DSP_H
#define BYROTE_SUM_DSP_H
#include "dsp.h"
#include "rows.h"

struct sum_dsp {
    int32_t row_size, factor_a, factor_b, offset, shift;
    int32_t signed_a, signed_b, is_signed; /* which bytes are int8, not int8 + 128 */
};

KERNEL uint8_t sum_dsp_element(const struct sum_dsp *s, int32_t a, int32_t b)
{
    const int32_t v = a * s->factor_a + b * s->factor_b + s->offset;
    return (uint8_t)(s->is_signed ? dsp_ssat8(v, s->shift) : dsp_usat8(v, s->shift));
}

KERNEL int32_t sum_dsp_byte(const uint8_t *p, int32_t is_signed) { return is_signed ? *(const int8_t *)p : *p; }

KERNEL void sum_dsp(const struct sum_dsp *s, struct rows a, struct rows b, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const uint8_t *p = row_at(&a, a.top + j, s->row_size), *q = row_at(&b, b.top + j, s->row_size);
        const uint8_t *const end = p + s->row_size, *const fours = p + (s->row_size & ~3);
        for (; p != fours; p += 4, q += 4, out += 4) {
            /* All loads side by side, then all stores: a load after a load costs one cycle. */
            int32_t p0 = sum_dsp_byte(p, s->signed_a), p1 = sum_dsp_byte(p + 1, s->signed_a);
            int32_t p2 = sum_dsp_byte(p + 2, s->signed_a), p3 = sum_dsp_byte(p + 3, s->signed_a);
            int32_t q0 = sum_dsp_byte(q, s->signed_b), q1 = sum_dsp_byte(q + 1, s->signed_b);
            int32_t q2 = sum_dsp_byte(q + 2, s->signed_b), q3 = sum_dsp_byte(q + 3, s->signed_b);
            PIN8(p0, p1, p2, p3, q0, q1, q2, q3);
            out[0] = sum_dsp_element(s, p0, q0);
            out[1] = sum_dsp_element(s, p1, q1);
            out[2] = sum_dsp_element(s, p2, q2);
            out[3] = sum_dsp_element(s, p3, q3);
        }
        for (; p != end; p++, q++) *out++ = sum_dsp_element(s, sum_dsp_byte(p, s->signed_a), sum_dsp_byte(q, s->signed_b));
    }
}
#endif
