/*
 * QUANTIZE of float32 to 8 bits without floating-point arithmetic: a search over 255 thresholds in eight equal steps.
 *
 * Rounding a quotient is monotone, so the result is the number of thresholds that the value reaches, counted from
 * `lowest`.  Thresholds and values are compared as integers: the bits of a float, those of negative ones turned round.
 * Exact for every float, infinities included; a NaN gives the smallest or largest result according to its sign.
 */
#ifndef BYROTE_QUANTIZE_F32_H
#define BYROTE_QUANTIZE_F32_H
#include "requant.h"
#include "rows.h"
#include "words.h"

struct quantize_f32 {
    int32_t row, lowest; /* elements per row; smallest result */
};

/* 1 if a >= b, without a branch; any values. */
KERNEL int32_t reaches(int32_t a, int32_t b)
{
    const uint32_t x = (uint32_t)a ^ 0x80000000u, y = (uint32_t)b ^ 0x80000000u;
    uint32_t borrow = ((~x & y) | ((~x | y) & (x - y))) >> 31;
    OPAQUE(borrow);
    return (int32_t)(1u - borrow);
}

KERNEL void quantize_f32(const struct quantize_f32 *s, const int32_t *thresholds, struct rows in, uint8_t *out,
                         int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const word *row = const_words(row_at(&in, in.top + j, 4 * s->row));
        for (int32_t i = 0; i < s->row; i++) {
            int32_t negative = row[i] >> 31, count = 0;
            OPAQUE(negative);
            const int32_t value = row[i] ^ (negative & 0x7fffffff);
            for (int32_t step = 128; step > 0; step >>= 1)
                count += step * reaches(value, thresholds[count + step - 1]);
            *out++ = (uint8_t)(count + s->lowest);
        }
    }
}
#endif
