/*
 * PAD of rows, pixels and channels, int8, plain C: output row j is a row of the input or all fill.
 */
#ifndef BYROTE_PAD_S8_H
#define BYROTE_PAD_S8_H
#include "move.h"

struct pad_s8 {
    int32_t left, width, right;      /* pixels */
    int32_t before, channels, after; /* channels of each pixel */
    int32_t fill;
};

KERNEL void pad_s8_row(const struct pad_s8 *s, const uint8_t *in, uint8_t *out)
{
    const int32_t pixel = s->before + s->channels + s->after;
    fill_bytes(out, s->fill, s->left * pixel);
    out += s->left * pixel;
    for (int32_t x = 0; x < s->width; x++, in += s->channels, out += pixel) {
        fill_bytes(out, s->fill, s->before);
        move_bytes(out + s->before, in, s->channels);
        fill_bytes(out + s->before + s->channels, s->fill, s->after);
    }
    fill_bytes(out, s->fill, s->right * pixel);
}

KERNEL void pad_s8(const struct pad_s8 *s, struct rows in, uint8_t *out, int32_t rows)
{
    const int32_t row = (s->left + s->width + s->right) * (s->before + s->channels + s->after);
    for (int32_t j = 0; j < rows; j++, out += row) {
        const int32_t slot = in.top + j;
        if (slot >= in.first && slot < in.end)
            pad_s8_row(s, row_at(&in, slot, s->width * s->channels), out);
        else
            fill_bytes(out, s->fill, row);
    }
}
#endif
