/*
 * Copies runs of bytes from anywhere in a whole tensor, in the order of the output: six nested axes with any steps.
 */
#ifndef BYROTE_GATHER_ANY_H
#define BYROTE_GATHER_ANY_H
#include "move.h"

struct gather_any {
    int32_t offset, run; /* byte where the first run begins; bytes per run */
    int32_t size[6], step[6]; /* runs along each axis; bytes from one to the next */
};

KERNEL void gather_any(const struct gather_any *s, struct rows in, uint8_t *out, int32_t rows)
{
    const int32_t *n = s->size, *p = s->step;
    const uint8_t *from = row_at(&in, 0, 0) + s->offset;
    (void)rows;
    for (int32_t h = 0; h < n[0]; h++)
        for (int32_t i = 0; i < n[1]; i++)
            for (int32_t j = 0; j < n[2]; j++)
                for (int32_t k = 0; k < n[3]; k++)
                    for (int32_t l = 0; l < n[4]; l++)
                        for (int32_t m = 0; m < n[5]; m++, out += s->run)
                            move_bytes(out, from + h * p[0] + i * p[1] + j * p[2] + k * p[3] + l * p[4] + m * p[5], s->run);
}
#endif
