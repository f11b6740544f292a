/*
 * MAX_POOL_2D on pixels of channels, int8 or int8 + 128, four channels at a time: cores with the DSP extension.
 *
 * Bytes are compared as int8 + 128.  Window taps outside the input are skipped; the last pixel may be read up to three
 * bytes past its end.
 */
#ifndef BYROTE_MAX_POOL_DSP_H
#define BYROTE_MAX_POOL_DSP_H
#include "dsp.h"
#include "rows.h"
#include "taps.h"

struct max_pool_dsp {
    int32_t in_width, out_width, channels, kernel_h, kernel_w, stride_h, stride_w, pad_left;
    int32_t signed_in, signed_out;
    int32_t clamps, low, high; /* bounds as int8 + 128, used if `clamps` */
};

/* The largest of some taps, byte by byte, as int8 + 128: `count` pixels from p on, joined with `most`. */
KERNEL uint32_t max_pool_dsp_line(const struct max_pool_dsp *s, const uint8_t *p, int32_t count, uint32_t most)
{
    const uint32_t flip = s->signed_in ? 0x80808080u : 0u;
    for (; count; count--, p += s->channels) most = dsp_max_u8(dsp_load32(p) ^ flip, most);
    return most;
}

/* Stores four channels, or the `count` that exist. */
KERNEL void max_pool_dsp_store(const struct max_pool_dsp *s, uint32_t v, int32_t count, uint8_t *out)
{
    if (s->clamps) v = dsp_min_u8(dsp_max_u8(v, (uint32_t)s->low * 0x01010101u), (uint32_t)s->high * 0x01010101u);
    if (s->signed_out) v ^= 0x80808080u;
    if (count >= 4) {
        dsp_store32(out, v);
        return;
    }
    for (; count; count--, v >>= 8) *out++ = (uint8_t)(v & 0xffu);
}

KERNEL void max_pool_dsp(const struct max_pool_dsp *s, struct rows in, uint8_t *out, int32_t rows)
{
    const int32_t row_size = s->in_width * s->channels;
    for (int32_t j = 0; j < rows; j++) {
        const int32_t top = in.top + j * s->stride_h;
        const int32_t ky0 = first_tap(top, 1, in.first, s->kernel_h), ky1 = end_tap(top, 1, in.end, s->kernel_h);
        for (int32_t x = 0; x < s->out_width; x++, out += s->channels) {
            const int32_t left = x * s->stride_w - s->pad_left;
            const int32_t kx0 = first_tap(left, 1, 0, s->kernel_w), kx1 = end_tap(left, 1, s->in_width, s->kernel_w);
            for (int32_t c = 0; c < s->channels; c += 4) {
                uint32_t most = 0;
                for (int32_t ky = ky0; ky < ky1; ky++) {
                    const uint8_t *row = row_at(&in, top + ky, row_size);
                    most = max_pool_dsp_line(s, row + (left + kx0) * s->channels + c, kx1 - kx0, most);
                }
                max_pool_dsp_store(s, most, s->channels - c, out + c);
            }
        }
    }
}
#endif
