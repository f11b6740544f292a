/*
 * Any function of one 8-bit value: `values[byte]` is the result, signed values by their bit pattern.
 */
#ifndef BYROTE_LOOKUP_S8_H
#define BYROTE_LOOKUP_S8_H
#include "rows.h"

struct lookup_s8 {
    int32_t row; /* elements per row */
};

KERNEL void lookup_s8(const struct lookup_s8 *s, const uint8_t *values, struct rows in, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const uint8_t *row = row_at(&in, in.top + j, s->row);
        for (int32_t i = 0; i < s->row; i++) *out++ = values[row[i]];
    }
}
#endif
