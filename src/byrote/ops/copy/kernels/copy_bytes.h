/*
 * COPY: a constant into the arena, byte by byte.  The empty assembler statement keeps compilers from calling memcpy.
 */
#ifndef BYROTE_COPY_BYTES_H
#define BYROTE_COPY_BYTES_H
#include "rows.h"

struct copy_bytes {
    int32_t row_size;
};

KERNEL void copy_bytes(const struct copy_bytes *s, const uint8_t *data, uint8_t *out, int32_t rows)
{
    for (int32_t i = 0; i < s->row_size * rows; i++) {
        out[i] = data[i];
        __asm__ volatile("" : : : "memory");
    }
}
#endif
