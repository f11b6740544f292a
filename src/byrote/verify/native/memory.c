/*
 * What C compilers call behind the programmer's back on a bare-metal target: copying and filling.
 *
 * Linked into firmware that is built for measurement; a real firmware takes these from its C library.
 * Paths depend on sizes and alignments only, never on the bytes.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) word;

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

/* Bytes that can be moved as whole words; 0 unless both pointers are aligned. */
static size_t in_words(const void *to, const void *from, size_t size)
{
    return (((uintptr_t)to | (uintptr_t)from) & 3u) ? 0u : size & ~(size_t)3u;
}

static void forward(uint8_t *to, const uint8_t *from, size_t size)
{
    size_t words = in_words(to, from, size);
    size_t i = 0;
    for (; i < words; i += 4u)
        *(word *)(void *)(to + i) = *(const word *)(const void *)(from + i);
    for (; i < size; i++)
        to[i] = from[i];
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    forward((uint8_t *)to, (const uint8_t *)from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *t = (uint8_t *)to;
    const uint8_t *f = (const uint8_t *)from;
    if ((uintptr_t)t - (uintptr_t)f >= size) {
        forward(t, f, size);
        return to;
    }
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    uint8_t *t = (uint8_t *)to;
    uint32_t four = (uint32_t)(uint8_t)value * 0x01010101u;
    size_t words = in_words(to, to, size);
    size_t i = 0;
    for (; i < words; i += 4u)
        *(word *)(void *)(t + i) = four;
    for (; i < size; i++)
        t[i] = (uint8_t)value;
    return to;
}

#if defined(__arm__)
/* The same under the names of Arm's run-time ABI; 4 and 8 promise alignment. */
#define ALIASES(suffix) \
    void __aeabi_memcpy##suffix(void *to, const void *from, size_t size); \
    void __aeabi_memmove##suffix(void *to, const void *from, size_t size); \
    void __aeabi_memset##suffix(void *to, size_t size, int value); \
    void __aeabi_memclr##suffix(void *to, size_t size); \
    void __aeabi_memcpy##suffix(void *to, const void *from, size_t size) { memcpy(to, from, size); } \
    void __aeabi_memmove##suffix(void *to, const void *from, size_t size) { memmove(to, from, size); } \
    void __aeabi_memset##suffix(void *to, size_t size, int value) { memset(to, value, size); } \
    void __aeabi_memclr##suffix(void *to, size_t size) { memset(to, 0, size); }
ALIASES()
ALIASES(4)
ALIASES(8)
#endif
