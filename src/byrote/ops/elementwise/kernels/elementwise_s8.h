/*
 * ADD, SUB, MUL, MINIMUM, MAXIMUM and PRELU of int8 operands, plain C.  `kind` is a constant of the layer: a specialised
 * copy contains one combination only.
 *
 * A constant operand always comes second; `swapped` says that it was the first.  Multipliers and shifts are those of
 * requant.h.  PRELU: a * 1 where a >= 0, else a * b, each with its own factor (a: multiplier_a, b: multiplier_b).
 */
#ifndef BYROTE_ELEMENTWISE_S8_H
#define BYROTE_ELEMENTWISE_S8_H
#include "requant.h"
#include "rows.h"

enum elementwise_kind {
    ELEMENTWISE_ADD,
    ELEMENTWISE_SUB,
    ELEMENTWISE_MUL,
    ELEMENTWISE_MINIMUM,
    ELEMENTWISE_MAXIMUM,
    ELEMENTWISE_PRELU
};

struct elementwise_arithmetic {
    int32_t kind, swapped, zero_a, zero_b, multiplier_a, shift_a, multiplier_b, shift_b, multiplier_out, shift_out;
    int32_t output_zero, low, high;
};

/* Row by row: width * channels results per row; bytes per row of each operand; rows, pixels and channels to step. */
struct elementwise_s8 {
    struct elementwise_arithmetic how;
    int32_t width, channels, row_a, row_b, step_a, step_b, pixel_a, channel_a, pixel_b, channel_b;
};

/* Whole tensors with any strides. */
struct elementwise_general_s8 {
    struct elementwise_arithmetic how;
    int32_t size[6], step_a[6], step_b[6];
};

/* (x - zero) * 2^20 * multiplier: both operands of a sum on a common scale. */
KERNEL int32_t elementwise_operand(int32_t x, int32_t zero, int32_t multiplier, int32_t shift)
{
    return requantize((x - zero) * (1 << 20), multiplier, shift, 0);
}

KERNEL int32_t elementwise_prelu(const struct elementwise_arithmetic *s, int32_t x, int32_t slope)
{
    const int32_t value = x - s->zero_a;
    const int32_t above = requantize(value, s->multiplier_a, s->shift_a, 0);
    const int32_t below = requantize(value * (slope - s->zero_b), s->multiplier_b, s->shift_b, 0);
    int32_t negative = value >> 31;
    OPAQUE(negative);
    return (above & ~negative) | (below & negative);
}

KERNEL int32_t elementwise_sum(const struct elementwise_arithmetic *s, int32_t a, int32_t b)
{
    const int32_t p = elementwise_operand(a, s->zero_a, s->multiplier_a, s->shift_a);
    const int32_t q = elementwise_operand(b, s->zero_b, s->multiplier_b, s->shift_b);
    const int32_t sum = s->kind == ELEMENTWISE_ADD ? p + q : s->swapped ? q - p : p - q;
    return requantize(sum, s->multiplier_out, s->shift_out, 0);
}

KERNEL uint8_t elementwise_one(const struct elementwise_arithmetic *s, int32_t a, int32_t b)
{
    int32_t q = s->output_zero;
    if (s->kind == ELEMENTWISE_MINIMUM)
        q = smaller(a, b);
    else if (s->kind == ELEMENTWISE_MAXIMUM)
        q = larger(a, b);
    else if (s->kind == ELEMENTWISE_MUL)
        q += requantize((a - s->zero_a) * (b - s->zero_b), s->multiplier_out, s->shift_out, 0);
    else if (s->kind == ELEMENTWISE_PRELU)
        q += s->swapped ? elementwise_prelu(s, b, a) : elementwise_prelu(s, a, b);
    else
        q += elementwise_sum(s, a, b);
    return (uint8_t)clamp(q, s->low, s->high);
}

KERNEL void elementwise_row(const struct elementwise_s8 *s, const int8_t *a, const int8_t *b, uint8_t *out)
{
    for (int32_t x = 0; x < s->width; x++)
        for (int32_t c = 0; c < s->channels; c++)
            *out++ = elementwise_one(&s->how, a[x * s->pixel_a + c * s->channel_a], b[x * s->pixel_b + c * s->channel_b]);
}

KERNEL void elementwise_s8(const struct elementwise_s8 *s, struct rows a, struct rows b, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++, out += s->width * s->channels)
        elementwise_row(s, (const int8_t *)row_at(&a, a.top + j * s->step_a, s->row_a),
                        (const int8_t *)row_at(&b, b.top + j * s->step_b, s->row_b), out);
}

KERNEL void elementwise_constant_s8(const struct elementwise_s8 *s, const int8_t *constant, struct rows a, uint8_t *out,
                                    int32_t rows)
{
    for (int32_t j = 0; j < rows; j++, out += s->width * s->channels)
        elementwise_row(s, (const int8_t *)row_at(&a, a.top + j * s->step_a, s->row_a), constant, out);
}

KERNEL void elementwise_all(const struct elementwise_general_s8 *s, const int8_t *a, const int8_t *b, uint8_t *out)
{
    const int32_t *n = s->size, *p = s->step_a, *q = s->step_b;
    for (int32_t h = 0; h < n[0]; h++)
        for (int32_t i = 0; i < n[1]; i++)
            for (int32_t j = 0; j < n[2]; j++)
                for (int32_t k = 0; k < n[3]; k++)
                    for (int32_t l = 0; l < n[4]; l++)
                        for (int32_t m = 0; m < n[5]; m++) {
                            const int32_t x = h * p[0] + i * p[1] + j * p[2] + k * p[3] + l * p[4] + m * p[5];
                            const int32_t y = h * q[0] + i * q[1] + j * q[2] + k * q[3] + l * q[4] + m * q[5];
                            *out++ = elementwise_one(&s->how, a[x], b[y]);
                        }
}

KERNEL void elementwise_general_s8(const struct elementwise_general_s8 *s, struct rows a, struct rows b, uint8_t *out,
                                   int32_t rows)
{
    (void)rows;
    elementwise_all(s, (const int8_t *)row_at(&a, 0, 0), (const int8_t *)row_at(&b, 0, 0), out);
}

KERNEL void elementwise_general_constant_s8(const struct elementwise_general_s8 *s, const int8_t *constant,
                                            struct rows a, uint8_t *out, int32_t rows)
{
    (void)rows;
    elementwise_all(s, (const int8_t *)row_at(&a, 0, 0), constant, out);
}
#endif
