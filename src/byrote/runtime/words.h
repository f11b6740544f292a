/*
 * 32-bit words in the arena, which is memory of bytes: the type may alias anything, the address is a multiple of 4.
 */
#ifndef BYROTE_WORDS_H
#define BYROTE_WORDS_H
#include <stdint.h>

#ifndef KERNEL
#define KERNEL static inline __attribute__((always_inline))
#endif

typedef int32_t __attribute__((may_alias)) word;

KERNEL word *words(uint8_t *bytes)
{
    return (word *)(void *)bytes;
}

KERNEL const word *const_words(const uint8_t *bytes)
{
    return (const word *)(const void *)bytes;
}
#endif
