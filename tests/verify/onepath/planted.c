/* Programs whose path depends on data, each in its own way.  ENTRY functions take the data as their only parameter. */
#include <stdint.h>

#define ENTRY __attribute__((noinline, used))
#define APART __attribute__((noinline))
#define WORK __asm volatile("nop")

void *memcpy(void *restrict to, const void *restrict from, __SIZE_TYPE__ size);

static volatile int32_t global;

APART static int32_t nothing(int32_t x)
{
    WORK;
    return x;
}

ENTRY void branch(const uint8_t *p)
{
    if (p[0] > 100)
        WORK;
}

ENTRY void loop_count(const uint8_t *p)
{
    for (int32_t i = 0; i < p[0]; i++)
        WORK;
}

ENTRY int32_t switched(const uint8_t *p)
{
    switch (p[0] & 7) {
    case 0:
        WORK;
        return 5;
    case 1:
        return nothing(17);
    case 2:
        WORK;
        WORK;
        return 3;
    case 3:
        return 99;
    case 4:
        WORK;
        WORK;
        WORK;
        return 4;
    case 5:
        return nothing(21);
    case 6:
        WORK;
        return 123;
    default:
        return nothing(1) + 1;
    }
}

ENTRY int32_t computed_goto(const uint8_t *p)
{
    static const void *const places[4] = {&&one, &&two, &&three, &&four};
    int32_t x = 0;
    goto *places[p[0] & 3];
one:
    WORK;
    x += 3;
two:
    WORK;
    x += 5;
three:
    WORK;
    x ^= 9;
four:
    return x;
}

APART static int32_t first(int32_t x)
{
    WORK;
    WORK;
    return x + 1;
}

ENTRY int32_t function_pointer(const uint8_t *p)
{
    static int32_t (*const functions[2])(int32_t) = {first, nothing};
    return functions[p[0] & 1](7);
}

ENTRY int64_t long_divide(const uint8_t *p)
{
    int64_t a, b;
    memcpy(&a, p, 8);
    memcpy(&b, p + 8, 8);
    return a / (b | 1);
}

ENTRY int32_t early_exit(const uint8_t *p)
{
    int32_t i = 0;
    while (i < 16 && p[i] != 0)
        i++;
    return i;
}

ENTRY void spilled(const uint8_t *p)
{
    int32_t x = p[0];
#if defined(__arm__)
    __asm volatile("nop" ::: "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "memory");
#else
    __asm volatile("nop" ::: "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6",
                   "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "memory");
#endif
    if (x > 100)
        WORK;
}

ENTRY void across_call(const uint8_t *p)
{
    int32_t x = p[0];
    nothing(3);
    if (x > 100)
        WORK;
}

struct pair {
    int32_t clean;
    int32_t data;
};

APART static void fill(struct pair *pair, const uint8_t *p)
{
    pair->clean = 3;
    pair->data = p[0];
}

ENTRY void through_struct(const uint8_t *p)
{
    struct pair pair;
    fill(&pair, p);
    if (pair.data > 100)
        WORK;
}

APART static struct pair made(const uint8_t *p, int32_t x)
{
    struct pair pair;
    pair.clean = x;
    pair.data = p[0];
    return pair;
}

ENTRY void returned_struct(const uint8_t *p)
{
    struct pair pair = made(p, nothing(1));
    if (pair.data > 100)
        WORK;
}

APART static void get(const uint8_t *p, int32_t *out)
{
    *out = p[0];
}

ENTRY void out_parameter(const uint8_t *p)
{
    int32_t x = 4;
    get(p, &x);
    if (x > 100)
        WORK;
}

APART static void get_through(const uint8_t *p, int32_t **out)
{
    **out = p[0];
}

ENTRY void pointer_to_pointer(const uint8_t *p)
{
    int32_t x = 4;
    int32_t *to = &x;
    get_through(p, &to);
    if (x > 100)
        WORK;
}

ENTRY void copied(const uint8_t *p)
{
    uint8_t local[40];
    memcpy(local, p, (unsigned)nothing(40));
    if (local[7] > 100)
        WORK;
}

APART static void spread(const uint8_t *p, uint8_t *to, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        to[i * 2] = p[i];
}

ENTRY void array_on_stack(const uint8_t *p)
{
    uint8_t local[32] = {0};
    spread(p, local, 16);
    if (local[8] > 100)
        WORK;
}

ENTRY void bytes_of_a_word(const uint8_t *p)
{
    union {
        uint8_t bytes[4];
        uint32_t word;
    } local;
    volatile uint8_t *to = local.bytes;
    to[0] = 1;
    to[1] = 2;
    to[2] = p[0];
    to[3] = 4;
    if (*(volatile uint32_t *)&local.word > 0x04600000)
        WORK;
}

ENTRY void through_global(const uint8_t *p)
{
    global = p[0];
    if (global > 100)
        WORK;
}

static const uint8_t table[256] = {0, 9, 4, 1, 0, 200, 4, 7, 1, 1, 0, 3, 250, 99, 98};

ENTRY void looked_up(const uint8_t *p)
{
    if (table[p[0]] > 100)
        WORK;
}

ENTRY void sum_of_products(const uint8_t *p)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < 16; i++)
        sum += p[i] * (int8_t)p[16 + i];
    if (sum > 0)
        WORK;
}

ENTRY void wide_compare(const uint8_t *p)
{
    int64_t a;
    memcpy(&a, p, 8);
    if (a > 3)
        WORK;
}
