/*
 * AVERAGE_POOL_2D, int8, plain C.  Window taps outside the input are skipped and not counted.
 *
 * `reciprocals`: three words per number of taps inside, rows (from min_h on) by columns (from min_w on).
 */
#ifndef BYROTE_AVERAGE_POOL_S8_H
#define BYROTE_AVERAGE_POOL_S8_H
#include "reciprocal.h"
#include "rows.h"
#include "taps.h"

struct average_pool_s8 {
    int32_t in_width, out_width, channels, kernel_h, kernel_w, stride_h, stride_w, pad_left;
    int32_t min_h, min_w, counts_w, low, high;
};

KERNEL void average_pool_s8(const struct average_pool_s8 *s, const int32_t *reciprocals, struct rows in, uint8_t *out,
                            int32_t rows)
{
    const int32_t row_size = s->in_width * s->channels;
    for (int32_t j = 0; j < rows; j++) {
        const int32_t top = in.top + j * s->stride_h;
        const int32_t ky0 = first_tap(top, 1, in.first, s->kernel_h);
        const int32_t ky1 = end_tap(top, 1, in.end, s->kernel_h);
        for (int32_t x = 0; x < s->out_width; x++) {
            const int32_t left = x * s->stride_w - s->pad_left;
            const int32_t kx0 = first_tap(left, 1, 0, s->kernel_w);
            const int32_t kx1 = end_tap(left, 1, s->in_width, s->kernel_w);
            const int32_t *r = reciprocals + 3 * ((ky1 - ky0 - s->min_h) * s->counts_w + kx1 - kx0 - s->min_w);
            for (int32_t c = 0; c < s->channels; c++) {
                int32_t sum = 0;
                for (int32_t ky = ky0; ky < ky1; ky++) {
                    const int8_t *p = (const int8_t *)row_at(&in, top + ky, row_size) + (left + kx0) * s->channels + c;
                    for (int32_t kx = kx0; kx < kx1; kx++, p += s->channels) sum += *p;
                }
                *out++ = (uint8_t)clamp(rounded_quotient(sum, r), s->low, s->high);
            }
        }
    }
}
#endif
