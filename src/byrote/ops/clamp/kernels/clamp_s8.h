/*
 * min(max(x, low), high) of int8 values.
 */
#ifndef BYROTE_CLAMP_S8_H
#define BYROTE_CLAMP_S8_H
#include "requant.h"
#include "rows.h"

struct clamp_s8 {
    int32_t row, low, high; /* elements per row; bounds */
};

KERNEL void clamp_s8(const struct clamp_s8 *s, struct rows in, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const int8_t *row = (const int8_t *)row_at(&in, in.top + j, s->row);
        for (int32_t i = 0; i < s->row; i++) *out++ = (uint8_t)clamp(row[i], s->low, s->high);
    }
}
#endif
