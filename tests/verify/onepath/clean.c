/* Kernels as a compiler of networks prints them: every count is known, tensor data never decides. */
#include <stdint.h>

#define ENTRY __attribute__((noinline, used))
#define APART __attribute__((noinline))
#define HIDE(x) __asm("" : "+r"(x))

static const int8_t weights[8][9][4] = {{{1, 2, 3, 4}, {5, 6, -7, 8}}, {{9, -9, 3, 1}}};
static const int32_t bias[8] = {1, -200, 3000, 4, 5, 6, 7, 8};
static const int32_t multiplier[8] = {1073741824, 1518500250, 1199999999, 1073741824, 1, 2, 3, 4};
static const uint8_t lut[256] = {3, 1, 4, 1, 5, 9};

/* Both barriers are needed: compilers know that a sign is a comparison, and that x & ~sign is a choice. */
static inline int32_t positive(int32_t x)
{
    HIDE(x);
    int32_t sign = x >> 31;
    HIDE(sign);
    return x & ~sign;
}

static inline int32_t clamp(int32_t x, int32_t low, int32_t high)
{
    x = low + positive(x - low);
    return high - positive(high - x);
}

/* High word of a signed product from 16-bit halves. */
static inline int32_t high_product(int32_t a, int32_t b)
{
    uint32_t al = (uint32_t)a & 0xffffu, bl = (uint32_t)b & 0xffffu;
    int32_t ah = a >> 16, bh = b >> 16;
    int32_t middle = ah * (int32_t)bl + (int32_t)((al * bl) >> 16);
    int32_t low = (int32_t)((uint32_t)middle & 0xffffu) + (int32_t)al * bh;
    return ah * bh + (middle >> 16) + (low >> 16);
}

static inline int32_t requantise(int32_t x, int32_t factor, int32_t shift)
{
    int32_t product = high_product(x, factor);
    return (product + (1 << (shift - 1))) >> shift;
}

ENTRY void relu(uint8_t *arena, uint8_t *state)
{
    int8_t *x = (int8_t *)arena;
    (void)state;
    for (int32_t i = 0; i < 64; i++) {
        x[i] = (int8_t)positive(x[i]);
    }
}

ENTRY void convolution(uint8_t *arena, uint8_t *state)
{
    const int8_t *in = (const int8_t *)arena;
    int8_t *out = (int8_t *)state;
    for (int32_t y = 0; y < 6; y++)
        for (int32_t x = 0; x < 6; x++)
            for (int32_t o = 0; o < 8; o++) {
                int32_t sum = bias[o];
                for (int32_t ky = 0; ky < 3; ky++)
                    for (int32_t kx = 0; kx < 3; kx++)
                        for (int32_t c = 0; c < 4; c++)
                            sum += in[((y + ky) * 8 + x + kx) * 4 + c] * weights[o][ky * 3 + kx][c];
                *out++ = (int8_t)clamp(requantise(sum, multiplier[o], 6) - 3, -128, 127);
            }
}

ENTRY void padded(uint8_t *arena, uint8_t *state)
{
    const int8_t *in = (const int8_t *)arena;
    for (int32_t y = 0; y < 8; y++)
        for (int32_t x = 0; x < 8; x++) {
            int32_t top = y < 1 ? 1 - y : 0, bottom = y > 6 ? 2 : 3;
            int32_t left = x < 1 ? 1 - x : 0, right = x > 6 ? 2 : 3;
            int32_t sum = 5;
            for (int32_t ky = top; ky < bottom; ky++)
                for (int32_t kx = left; kx < right; kx++)
                    sum += in[(y + ky - 1) * 8 + x + kx - 1] * weights[0][ky * 3 + kx][0];
            state[y * 8 + x] = (uint8_t)clamp(sum >> 4, -128, 127);
        }
}

ENTRY void maximum(uint8_t *arena, uint8_t *state)
{
    const int8_t *in = (const int8_t *)arena;
    for (int32_t x = 0; x < 16; x++) {
        int32_t best = -128;
        for (int32_t k = 0; k < 4; k++)
            best += positive(in[x * 4 + k] - best);
        state[x] = (uint8_t)best;
    }
}

ENTRY void looked_up(uint8_t *arena, uint8_t *state)
{
    for (int32_t i = 0; i < 64; i++)
        state[i] = lut[arena[i]];
}

struct rows {
    const uint8_t *kept;
    const uint8_t *fresh;
    int32_t held, top, first, end;
};

struct shape {
    int32_t width, channels, rows, shift;
};

APART static void shared(const struct shape *s, const int32_t *factors, const struct rows *in, uint8_t *out, int32_t rows)
{
    for (int32_t y = 0; y < rows; y++) {
        int32_t slot = in->top + y;
        if (slot < in->first || slot >= in->end)
            continue;
        const uint8_t *from = slot < in->held ? in->kept + slot * s->width : in->fresh + (slot - in->held) * s->width;
        for (int32_t x = 0; x < s->width; x++) {
            int32_t v = from[x] * s->channels;
            out[y * s->width + x] = (uint8_t)clamp(requantise(v, factors[x & 7], s->shift), 0, 255);
        }
    }
}

static const struct shape small = {8, 3, 4, 5};
static const struct shape large = {16, 5, 2, 7};

ENTRY void two_layers(uint8_t *arena, uint8_t *state)
{
    struct rows one = {arena, arena + 64, 4, -1, 0, 6};
    struct rows two = {state, state + 64, 2, 0, 0, 4};
    shared(&small, multiplier, &one, arena + 128, small.rows);
    shared(&large, multiplier, &two, arena + 192, large.rows);
}

ENTRY void accumulators(uint8_t *arena, uint8_t *state)
{
    int32_t sums[8];
    for (int32_t c = 0; c < 8; c++)
        sums[c] = bias[c];
    for (int32_t x = 0; x < 16; x++)
        for (int32_t c = 0; c < 8; c++)
            sums[c] += (int8_t)arena[x * 8 + c];
    for (int32_t c = 0; c < 8; c++)
        state[c] = (uint8_t)clamp(sums[c] >> 4, -128, 127);
}

ENTRY void words(uint8_t *arena, uint8_t *state)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < 16; i++) {
        uint32_t word;
        __builtin_memcpy(&word, arena + 4 * i, 4);
        sum += word;
    }
    __builtin_memcpy(state, &sum, 4);
}

ENTRY void shifted_rows(uint8_t *arena, uint8_t *state)
{
    __builtin_memcpy(state, arena, 48);
    __builtin_memcpy(arena, arena + 64, 7);
}

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__) || defined(__riscv)
ENTRY void wide_product(uint8_t *arena, uint8_t *state)
{
    const int32_t *in = (const int32_t *)(const void *)arena;
    for (int32_t i = 0; i < 8; i++) {
        int32_t v = (int32_t)(((int64_t)in[i] * multiplier[i] + (1 << 30)) >> 31);
        state[i] = (uint8_t)clamp(v, -128, 127);
    }
}
#endif

#if defined(__arm__) && !defined(__thumb2__)
/* More than a conditional branch can jump over: Armv6-M goes back with bl. */
#define FEW(x) (x) = (x) * 3u + ((x) >> 5);
#define MORE(x) FEW(x) FEW(x) FEW(x) FEW(x) FEW(x) FEW(x) FEW(x) FEW(x)
#define MANY(x) MORE(x) MORE(x) MORE(x) MORE(x) MORE(x) MORE(x) MORE(x) MORE(x)
ENTRY void far_loop(uint8_t *arena, uint8_t *state)
{
    for (int32_t i = 0; i < 16; i++) {
        uint32_t x = arena[i];
        MANY(x)
        MANY(x)
        MANY(x)
        MANY(x)
        MANY(x)
        MANY(x)
        MANY(x)
        MANY(x)
        state[i] = (uint8_t)x;
    }
}
#endif
