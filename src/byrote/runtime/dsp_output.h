/*
 * From an accumulator to an output byte, on cores with the DSP extension.  ops/dsp_output.py finds the constants.
 *
 * DSP_OUTPUT_MULTIPLY: the weights were scaled so that one multiplication is exact for every reachable accumulator.
 * DSP_OUTPUT_ROUND: acc is twice the sum; rounds twice or once, as the numeric profile says.
 */
#ifndef BYROTE_DSP_OUTPUT_H
#define BYROTE_DSP_OUTPUT_H
#include "dsp.h"
#include "requant.h"

enum { DSP_OUTPUT_ROUND = 0, DSP_OUTPUT_MULTIPLY = 1 };

struct dsp_output {
    int32_t form;
    int32_t shift;            /* for all channels; unused by DSP_OUTPUT_ROUND */
    int32_t single;           /* DSP_OUTPUT_ROUND: one rounding instead of two */
    int32_t is_signed;        /* the output byte is an int8, not an int8 + 128 */
    int32_t clamp, low, high; /* DSP_OUTPUT_ROUND: whether the output is clamped to less than the type holds */
};

/* `add` and `shift` are of the channel, for DSP_OUTPUT_ROUND. */
KERNEL uint8_t dsp_output(const struct dsp_output *s, int32_t acc, int32_t multiplier, int32_t add, int32_t shift)
{
    int32_t v;
    if (s->form == DSP_OUTPUT_MULTIPLY) {
        v = dsp_smmul(acc, multiplier);
        return (uint8_t)(s->is_signed ? dsp_ssat8(v, s->shift) : dsp_usat8(v, s->shift));
    }
    if (s->single) {
        v = dsp_smmul(acc, multiplier);
    } else {
        v = dsp_smmulr(acc, multiplier);
        v += v >> 31; /* halves away from zero */
    }
    v = (v + add) >> shift;
    if (s->clamp) return (uint8_t)clamp(v, s->low, s->high);
    return (uint8_t)(s->is_signed ? dsp_ssat8(v, 0) : dsp_usat8(v, 0));
}
#endif
