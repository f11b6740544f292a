/* Functions without a known stack need. */
#include <stdint.h>

#define ENTRY __attribute__((noinline, used))

ENTRY int32_t recursive(int32_t x)
{
    __asm volatile("nop");
    volatile int32_t y = x;
    return x > 0 ? recursive(x - 1) * 3 + y : 1;
}

ENTRY int32_t indirect(int32_t x)
{
    int32_t (*volatile function)(int32_t) = recursive;
    return function(x) + 1;
}

ENTRY int32_t variable(int32_t x)
{
    volatile uint8_t space[x];
    space[0] = 1;
    return space[x - 1];
}
