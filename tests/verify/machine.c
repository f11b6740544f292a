/* Functions whose counts, stores, stack and faults are known by construction. */
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, __SIZE_TYPE__ size);

void fill(uint8_t *to, uint32_t count);
void stray(uint8_t *to);
uint32_t load_word(const uint8_t *from);
uint32_t load_pair(const uint32_t *from);
uint32_t use_stack(uint32_t x);
uint32_t sum_of_six(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f);
int32_t divide(int32_t a, int32_t b);
void copy(uint8_t *to, const uint8_t *from, uint32_t size);
void endless(void);

void fill(uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)(i + 1u);
        __asm volatile("nop");
    }
}

void stray(uint8_t *to)
{
    to[0] = 1;
    *(volatile uint8_t *)(to + 64) = 2;
}

uint32_t load_word(const uint8_t *from)
{
    uint32_t word;
#if defined(__arm__)
    __asm volatile("ldr %0, [%1]" : "=l"(word) : "l"(from) : "memory");
#else
    __asm volatile("lw %0, 0(%1)" : "=r"(word) : "r"(from) : "memory");
#endif
    return word;
}

uint32_t load_pair(const uint32_t *from)
{
#if defined(__ARM_FEATURE_DSP) || defined(__ARM_ARCH_7M__)
    uint32_t a, b;
    __asm volatile("ldrd %0, %1, [%2]" : "=&r"(a), "=&r"(b) : "r"(from) : "memory");
    return a + b;
#else
    return from[0] + from[1];
#endif
}

__attribute__((noinline)) uint32_t use_stack(uint32_t x)
{
    volatile uint32_t space[32];
    space[0] = x;
    return space[0];
}

uint32_t sum_of_six(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f)
{
    return a + 2u * b + 3u * c + 4u * d + 5u * e + 6u * f;
}

int32_t divide(int32_t a, int32_t b)
{
    return a / b;
}

void copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
    memcpy(to, from, size);
}

void endless(void)
{
    for (;;)
        __asm volatile("nop");
}
