/*
 * One 32-bit sum per channel of rows in any storage, for operators that average over a map: cores with the DSP extension.
 *
 * Pixels of channels: four channels at a time in 16-bit lanes; at most 255 columns, so that lanes do not overflow.  Sums
 * exist for a multiple of four channels, and the last pixel may be read up to three bytes past its end.
 * Planes of channels: int8 + 128 only, four columns at a time; the last plane may be read up to three bytes past its end.
 */
#ifndef BYROTE_SUMS_DSP_H
#define BYROTE_SUMS_DSP_H
#include "dsp.h"
#include "rows.h"
#include "words.h"

struct sums_dsp {
    int32_t width, channels, row_size;
    int32_t planes, pitch; /* layout: 1 for planes of channels, `pitch` columns each */
    int32_t is_signed;     /* bytes are int8, not int8 + 128 */
    int32_t start;         /* of every sum: takes away what + 128 and the zero point add */
};

KERNEL void sums_dsp_begin(const struct sums_dsp *s, uint8_t *acc)
{
    word *sums = words(acc);
    for (int32_t c = 0; c < s->channels; c++) sums[c] = s->start;
    for (int32_t c = s->channels; c & 3; c++) sums[c] = 0;
}

/* Adds one row of pixels to four sums. */
KERNEL void sums_dsp_quad(const struct sums_dsp *s, const uint8_t *p, word *sums)
{
    uint32_t even = 0, odd = 0;
    for (int32_t x = 0; x < s->width; x++, p += s->channels) {
        const uint32_t v = dsp_load32(p);
        even = dsp_sadd16(even, s->is_signed ? dsp_sxtb16(v) : dsp_uxtb16(v));
        odd = dsp_sadd16(odd, s->is_signed ? dsp_sxtb16_ror8(v) : dsp_uxtb16_ror8(v));
    }
    sums[0] += s->is_signed ? dsp_low(even) : (int32_t)(even & 0xffffu);
    sums[1] += s->is_signed ? dsp_low(odd) : (int32_t)(odd & 0xffffu);
    sums[2] += s->is_signed ? dsp_high(even) : (int32_t)(even >> 16);
    sums[3] += s->is_signed ? dsp_high(odd) : (int32_t)(odd >> 16);
}

/* Sum of the bytes of one row of one plane. */
KERNEL uint32_t sums_dsp_plane(const struct sums_dsp *s, const uint8_t *p)
{
    const uint32_t rest = (1u << 8 * (s->width & 3)) - 1u;
    uint32_t sum = 0;
    for (int32_t x = s->width >> 2; x; x--, p += 4) sum = dsp_usada8(dsp_load32(p), 0, sum);
    return rest ? dsp_usada8(dsp_load32(p) & rest, 0, sum) : sum;
}

KERNEL void sums_dsp_rows(const struct sums_dsp *s, struct rows in, uint8_t *acc, int32_t rows)
{
    for (int32_t j = 0; j < rows; j++) {
        const uint8_t *p = row_at(&in, in.top + j, s->row_size);
        word *sums = words(acc);
        if (s->planes) {
            for (int32_t c = s->channels; c; c--, p += s->pitch) *sums++ += (int32_t)sums_dsp_plane(s, p);
        } else {
            for (int32_t c = 0; c < s->channels; c += 4) sums_dsp_quad(s, p + c, sums + c);
        }
    }
}
#endif
