/* Call trees whose deepest path is always executed. */
#include <stdint.h>

#define ENTRY __attribute__((noinline, used))
#define APART __attribute__((noinline))

APART static int32_t leaf(int32_t x)
{
    __asm volatile("nop");
    return x + 1;
}

APART static int32_t spilling(int32_t x)
{
    volatile int32_t space[5];
    space[0] = x;
    space[4] = leaf(x);
    return space[0] + space[4];
}

APART static int32_t many(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int32_t h, int32_t i,
                          int32_t j)
{
    return leaf(a) + leaf(b) + leaf(c) + leaf(d) + leaf(e) + leaf(f) + leaf(g) + leaf(h) + leaf(i) + leaf(j);
}

ENTRY int32_t straight(int32_t x)
{
    return leaf(x);
}

ENTRY int32_t nested(int32_t x)
{
    int32_t y = spilling(x) + 3;
    return y + leaf(y) + spilling(y);
}

ENTRY int32_t arguments_on_stack(int32_t x)
{
    return many(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9) + spilling(x);
}

ENTRY int32_t tail(int32_t x)
{
    return spilling(leaf(x) + 1);
}

ENTRY int32_t in_loop(int32_t x)
{
    for (int32_t i = 0; i < 4; i++)
        x += spilling(i) + x;
    return x;
}

ENTRY int64_t helper(int32_t x)
{
    volatile int64_t a = x;
    return a / (a | 7);
}
