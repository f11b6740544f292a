/*
 * FULLY_CONNECTED of one vector that arrives row by row, int8, plain C.
 *
 * `acc` is the state, aligned to 4: the number of elements taken so far, then one sum per output, padded to a multiple
 * of four.  The count depends on the calls alone, never on data: loops end at hidden values, so that no compiler lets them
 * end at an address made from the count, which no proof could follow.  Tables as in fully_connected_s8.h.
 */
#ifndef BYROTE_FULLY_CONNECTED_MAP_S8_H
#define BYROTE_FULLY_CONNECTED_MAP_S8_H
#include "requant.h"
#include "rows.h"
#include "words.h"

struct fully_connected_map_s8 {
    int32_t row, depth; /* bytes per input row, of the whole vector */
    int32_t outputs, output_zero, low, high, single;
};

KERNEL void fully_connected_map_s8_begin(const struct fully_connected_map_s8 *s, const int8_t *weights,
                                         const int32_t *channels, uint8_t *acc)
{
    word *state = words(acc);
    (void)weights;
    state[0] = 0;
    for (int32_t o = 0; o < ((s->outputs + 3) & ~3); o++) state[1 + o] = channels[3 * o];
}

KERNEL void fully_connected_map_s8(const struct fully_connected_map_s8 *s, const int8_t *weights,
                                   const int32_t *channels, struct rows in, uint8_t *acc, int32_t rows)
{
    word *state = words(acc);
    (void)channels;
    for (int32_t j = 0; j < rows; j++) {
        const int8_t *p = (const int8_t *)row_at(&in, in.top + j, s->row);
        const int8_t *const end = p + s->row, *w = weights + 4 * state[0];
        int32_t outputs = s->outputs;
        OPAQUE(outputs);
        for (int32_t o = 0; o < outputs; o += 4, w += 4 * (s->depth - s->row)) {
            const int8_t *x = p, *last = end;
            OPAQUE(last);
            int32_t a0 = state[1 + o], a1 = state[2 + o], a2 = state[3 + o], a3 = state[4 + o];
            for (; x != last; x++, w += 4) {
                const int32_t d = *x;
                a0 += d * w[0];
                a1 += d * w[1];
                a2 += d * w[2];
                a3 += d * w[3];
            }
            state[1 + o] = a0;
            state[2 + o] = a1;
            state[3 + o] = a2;
            state[4 + o] = a3;
        }
        state[0] += s->row;
    }
}

KERNEL void fully_connected_map_s8_finish(const struct fully_connected_map_s8 *s, const int8_t *weights,
                                          const int32_t *channels, const uint8_t *acc, uint8_t *out)
{
    const word *state = const_words(acc);
    (void)weights;
    for (int32_t o = 0; o < s->outputs; o++) {
        const int32_t *c = channels + 3 * o;
        const int32_t q = requantize(state[1 + o], c[1], c[2], s->single) + s->output_zero;
        out[o] = (uint8_t)clamp(q, s->low, s->high);
    }
}
#endif
