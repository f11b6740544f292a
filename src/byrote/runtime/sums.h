/*
 * One 32-bit sum per channel of int8 rows, for operators that average over a map.
 */
#ifndef BYROTE_SUMS_H
#define BYROTE_SUMS_H
#include "rows.h"
#include "words.h"

KERNEL void sums_begin(uint8_t *acc, int32_t channels)
{
    word *sums = words(acc);
    for (int32_t c = 0; c < channels; c++) sums[c] = 0;
}

/* Adds rows of `width` pixels. */
KERNEL void sums_rows(uint8_t *acc, int32_t channels, int32_t width, struct rows in, int32_t rows)
{
    word *sums = words(acc);
    for (int32_t j = 0; j < rows; j++) {
        const int8_t *row = (const int8_t *)row_at(&in, in.top + j, width * channels);
        for (int32_t c = 0; c < channels; c++) {
            int32_t sum = sums[c];
            for (int32_t x = 0; x < width; x++) sum += row[x * channels + c];
            sums[c] = sum;
        }
    }
}
#endif
