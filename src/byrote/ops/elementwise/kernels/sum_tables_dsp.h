/*
 * ADD and SUB of two tensors of one shape by a table of 256 words per operand: cores with the DSP extension.
 *
 * acc = of_a[a] + of_b[b]; a, b: bytes as stored.
 *   SUM_TABLES_SHIFT: v = acc >> shift, where ops/elementwise/sum_tables.py found tables that are exact for all 65,536 pairs.
 *   SUM_TABLES_ROUND: the reference's own two roundings; the tables hold twice the operands on their common scale.
 * The output is v clamped to low..high.  Any layout, as long as all three tensors are stored in the same; bytes between
 * the columns are added, too, and mean nothing.
 */
#ifndef BYROTE_SUM_TABLES_DSP_H
#define BYROTE_SUM_TABLES_DSP_H
#include "dsp.h"
#include "requant.h"
#include "rows.h"

enum { SUM_TABLES_ROUND = 0, SUM_TABLES_SHIFT = 1 };

struct sum_tables_dsp {
    int32_t row_size, form, shift;
    int32_t multiplier, add; /* SUM_TABLES_ROUND only; add includes the zero point */
    int32_t is_signed;       /* the output byte is an int8, not an int8 + 128 */
    int32_t clamp, low, high; /* whether the output is clamped to less than its type holds */
};

KERNEL uint8_t sum_tables_dsp_element(const struct sum_tables_dsp *s, int32_t acc)
{
    if (s->form == SUM_TABLES_ROUND) {
        acc = dsp_smmulr(acc, s->multiplier);
        acc += (acc >> 31) + s->add; /* halves away from zero */
    }
    if (s->clamp) return (uint8_t)clamp(acc >> s->shift, s->low, s->high);
    return (uint8_t)(s->is_signed ? dsp_ssat8(acc, s->shift) : dsp_usat8(acc, s->shift));
}

KERNEL void sum_tables_dsp(const struct sum_tables_dsp *s, const int32_t *of_a, const int32_t *of_b, struct rows a,
                           struct rows b, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const uint8_t *p = row_at(&a, a.top + j, s->row_size), *q = row_at(&b, b.top + j, s->row_size);
        const uint8_t *const end = p + s->row_size, *const fours = p + (s->row_size & ~3);
        for (; p != fours; p += 4, q += 4, out += 4) {
            /* All loads side by side, then all stores: a load after a load costs one cycle. */
            uint32_t p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3], q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
            PIN8(p0, p1, p2, p3, q0, q1, q2, q3);
            out[0] = sum_tables_dsp_element(s, of_a[p0] + of_b[q0]);
            out[1] = sum_tables_dsp_element(s, of_a[p1] + of_b[q1]);
            out[2] = sum_tables_dsp_element(s, of_a[p2] + of_b[q2]);
            out[3] = sum_tables_dsp_element(s, of_a[p3] + of_b[q3]);
        }
        for (; p != end; p++, q++) *out++ = sum_tables_dsp_element(s, of_a[*p] + of_b[*q]);
    }
}
#endif
