/*
 * DEQUANTIZE of 8 bits to float32: `values[byte]` holds the bits of each result.
 */
#ifndef BYROTE_DEQUANTIZE_F32_H
#define BYROTE_DEQUANTIZE_F32_H
#include "rows.h"
#include "words.h"

struct dequantize_f32 {
    int32_t row; /* elements per row */
};

KERNEL void dequantize_f32(const struct dequantize_f32 *s, const int32_t *values, struct rows in, uint8_t *out,
                           int32_t rows)
{
    word *to = words(out);
    for (int32_t j = 0; j < rows; j++) {
        const uint8_t *row = row_at(&in, in.top + j, s->row);
        for (int32_t i = 0; i < s->row; i++) *to++ = values[row[i]];
    }
}
#endif
