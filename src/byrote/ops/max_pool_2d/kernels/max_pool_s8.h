/*
 * MAX_POOL_2D, int8, plain C.  Window taps outside the input are skipped.
 */
#ifndef BYROTE_MAX_POOL_S8_H
#define BYROTE_MAX_POOL_S8_H
#include "requant.h"
#include "rows.h"
#include "taps.h"

struct max_pool_s8 {
    int32_t in_width, out_width, channels, kernel_h, kernel_w, stride_h, stride_w, pad_left, low, high;
};

KERNEL void max_pool_s8(const struct max_pool_s8 *s, struct rows in, uint8_t *out, int32_t rows)
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
            for (int32_t c = 0; c < s->channels; c++) {
                int32_t most = -128;
                for (int32_t ky = ky0; ky < ky1; ky++) {
                    const int8_t *p = (const int8_t *)row_at(&in, top + ky, row_size) + (left + kx0) * s->channels + c;
                    for (int32_t kx = kx0; kx < kx1; kx++, p += s->channels) most = larger(most, *p);
                }
                *out++ = (uint8_t)clamp(most, s->low, s->high);
            }
        }
    }
}
#endif
