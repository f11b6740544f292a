/*
 * Moving rows within the arena, ascending: the target may overlap the source if it lies below it.
 * The empty assembler statements keep compilers from calling memmove.
 */
#ifndef BYROTE_MOVE_H
#define BYROTE_MOVE_H
#include "rows.h"

typedef uint32_t __attribute__((may_alias)) arena_word;

/* Both addresses and the size are multiples of 4. */
KERNEL void move_words(uint8_t *target, const uint8_t *source, int32_t size)
{
    arena_word *to = (arena_word *)(void *)target;
    const arena_word *from = (const arena_word *)(const void *)source;
    const arena_word *const end = from + (size >> 2);
    for (int32_t i = 0; i < ((size >> 2) & 3); i++) {
        *to++ = *from++;
        __asm__ volatile("" : : : "memory");
    }
    while (from != end) {
        const uint32_t a = from[0], b = from[1], c = from[2], d = from[3];
        __asm__ volatile("" : : : "memory");
        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
        from += 4;
        to += 4;
    }
}

/* Counts down a hidden number, so that the loop never ends at an address: it may come from a table. */
KERNEL void move_bytes(uint8_t *target, const uint8_t *source, int32_t size)
{
    for (int32_t left = size; left > 0; left--) {
        *target++ = *source++;
        __asm__ volatile("" : "+r"(left) : : "memory");
    }
}

KERNEL void fill_bytes(uint8_t *target, int32_t value, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        target[i] = (uint8_t)value;
        __asm__ volatile("" : : : "memory");
    }
}
#endif
