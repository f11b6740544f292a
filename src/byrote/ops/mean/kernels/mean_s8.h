/*
 * MEAN over any axes of a whole tensor, int8, plain C: up to four axes that stay and four that vanish, any strides.
 *
 * `start` takes the zero points out of the sum; the factor contains the number of elements.
 */
#ifndef BYROTE_MEAN_S8_H
#define BYROTE_MEAN_S8_H
#include "requant.h"
#include "rows.h"

struct mean_s8 {
    int32_t start, multiplier, shift, output_zero;
    int32_t size[4], step[4], sum_size[4], sum_step[4];
};

KERNEL int32_t mean_s8_sum(const struct mean_s8 *s, const int8_t *in)
{
    const int32_t *n = s->sum_size, *p = s->sum_step;
    int32_t sum = s->start;
    for (int32_t i = 0; i < n[0]; i++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t k = 0; k < n[2]; k++)
                for (int32_t l = 0; l < n[3]; l++) sum += in[i * p[0] + j * p[1] + k * p[2] + l * p[3]];
    return sum;
}

KERNEL void mean_s8(const struct mean_s8 *s, struct rows in, uint8_t *out, int32_t rows)
{
    const int32_t *n = s->size, *p = s->step;
    const int8_t *first = (const int8_t *)row_at(&in, 0, 0);
    (void)rows;
    for (int32_t i = 0; i < n[0]; i++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t k = 0; k < n[2]; k++)
                for (int32_t l = 0; l < n[3]; l++) {
                    const int32_t sum = mean_s8_sum(s, first + i * p[0] + j * p[1] + k * p[2] + l * p[3]);
                    const int32_t q = requantize(sum, s->multiplier, s->shift, 0) + s->output_zero;
                    *out++ = (uint8_t)clamp(q, -128, 127);
                }
}
#endif
