/*
 * PAD of any axes of a whole tensor, int8, plain C: fill everything, then put the input inside.
 */
#ifndef BYROTE_PAD_ANY_S8_H
#define BYROTE_PAD_ANY_S8_H
#include "move.h"

struct pad_any_s8 {
    int32_t total, offset; /* elements of the output; where the first element of the input goes */
    int32_t size[6], step[6]; /* axes of the input; steps in the output */
    int32_t fill;
};

KERNEL void pad_any_s8(const struct pad_any_s8 *s, struct rows in, uint8_t *out, int32_t rows)
{
    const int32_t *n = s->size, *p = s->step;
    const uint8_t *from = row_at(&in, 0, 0);
    (void)rows;
    fill_bytes(out, s->fill, s->total);
    for (int32_t h = 0; h < n[0]; h++)
        for (int32_t i = 0; i < n[1]; i++)
            for (int32_t j = 0; j < n[2]; j++)
                for (int32_t k = 0; k < n[3]; k++)
                    for (int32_t l = 0; l < n[4]; l++, from += n[5])
                        move_bytes(out + s->offset + h * p[0] + i * p[1] + j * p[2] + k * p[3] + l * p[4], from, n[5]);
}
#endif
