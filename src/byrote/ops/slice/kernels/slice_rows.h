/*
 * A box out of a tensor, row by row: output row j comes from one input row, runs of bytes along two axes of it.
 */
#ifndef BYROTE_SLICE_ROWS_H
#define BYROTE_SLICE_ROWS_H
#include "move.h"

struct slice_rows {
    int32_t row, row_step; /* bytes per input row; input rows from one output row to the next */
    int32_t offset, run;   /* byte within the row where the first run begins; bytes per run */
    int32_t size_a, step_a, size_b, step_b; /* runs along the outer and the inner axis; bytes from one to the next */
};

KERNEL void slice_rows(const struct slice_rows *s, struct rows in, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const uint8_t *from = row_at(&in, in.top + j * s->row_step, s->row) + s->offset;
        for (int32_t a = 0; a < s->size_a; a++)
            for (int32_t b = 0; b < s->size_b; b++, out += s->run)
                move_bytes(out, from + a * s->step_a + b * s->step_b, s->run);
    }
}
#endif
