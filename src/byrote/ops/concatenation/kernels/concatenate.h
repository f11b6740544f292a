/*
 * CONCATENATION of two to eight inputs: chunks of bytes of each input in turn, row by row or (`whole`) all at once.
 */
#ifndef BYROTE_CONCATENATE_H
#define BYROTE_CONCATENATE_H
#include "move.h"

struct concatenate {
    int32_t outer, pixel, row;      /* chunks of each input per row; bytes of all chunks together; bytes per row */
    int32_t chunk[8], input_row[8]; /* bytes of each input per chunk, per row */
    int32_t whole;
};

KERNEL int32_t concatenate_lines(const struct concatenate *s, int32_t rows)
{
    return s->whole ? 1 : rows;
}

/* The chunks of line j of the input at place `index`; returns where those of the next input begin. */
KERNEL uint8_t *concatenate_line(const struct concatenate *s, int32_t index, struct rows in, int32_t j, uint8_t *out)
{
    const int32_t chunk = s->chunk[index];
    const uint8_t *from = row_at(&in, s->whole ? 0 : in.top + j, s->input_row[index]);
    for (int32_t o = 0; o < s->outer; o++) move_bytes(out + o * s->pixel, from + o * chunk, chunk);
    return out + chunk;
}

KERNEL void concatenate2(const struct concatenate *s, struct rows a, struct rows b, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        concatenate_line(s, 1, b, j, to);
    }
}

KERNEL void concatenate3(const struct concatenate *s, struct rows a, struct rows b, struct rows c, uint8_t *out,
                         int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        to = concatenate_line(s, 1, b, j, to);
        concatenate_line(s, 2, c, j, to);
    }
}

KERNEL void concatenate4(const struct concatenate *s, struct rows a, struct rows b, struct rows c, struct rows d,
                         uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        to = concatenate_line(s, 1, b, j, to);
        to = concatenate_line(s, 2, c, j, to);
        concatenate_line(s, 3, d, j, to);
    }
}

KERNEL void concatenate5(const struct concatenate *s, struct rows a, struct rows b, struct rows c, struct rows d,
                         struct rows e, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        to = concatenate_line(s, 1, b, j, to);
        to = concatenate_line(s, 2, c, j, to);
        to = concatenate_line(s, 3, d, j, to);
        concatenate_line(s, 4, e, j, to);
    }
}

KERNEL void concatenate6(const struct concatenate *s, struct rows a, struct rows b, struct rows c, struct rows d,
                         struct rows e, struct rows f, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        to = concatenate_line(s, 1, b, j, to);
        to = concatenate_line(s, 2, c, j, to);
        to = concatenate_line(s, 3, d, j, to);
        to = concatenate_line(s, 4, e, j, to);
        concatenate_line(s, 5, f, j, to);
    }
}

KERNEL void concatenate7(const struct concatenate *s, struct rows a, struct rows b, struct rows c, struct rows d,
                         struct rows e, struct rows f, struct rows g, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        to = concatenate_line(s, 1, b, j, to);
        to = concatenate_line(s, 2, c, j, to);
        to = concatenate_line(s, 3, d, j, to);
        to = concatenate_line(s, 4, e, j, to);
        to = concatenate_line(s, 5, f, j, to);
        concatenate_line(s, 6, g, j, to);
    }
}

KERNEL void concatenate8(const struct concatenate *s, struct rows a, struct rows b, struct rows c, struct rows d,
                         struct rows e, struct rows f, struct rows g, struct rows h, uint8_t *out, int32_t rows)
{
    for (int32_t j = 0; j < concatenate_lines(s, rows); j++, out += s->row) {
        uint8_t *to = concatenate_line(s, 0, a, j, out);
        to = concatenate_line(s, 1, b, j, to);
        to = concatenate_line(s, 2, c, j, to);
        to = concatenate_line(s, 3, d, j, to);
        to = concatenate_line(s, 4, e, j, to);
        to = concatenate_line(s, 5, f, j, to);
        to = concatenate_line(s, 6, g, j, to);
        concatenate_line(s, 7, h, j, to);
    }
}
#endif
