/* How often a loop runs is read from memory. */
#include <stdint.h>

#define ENTRY __attribute__((noinline, used))

static const uint8_t counts[8] = {3, 1, 4, 1, 5, 9, 2, 6};

/* From a table in flash, at an address that only another loop decides. */
ENTRY void counted(uint8_t *arena, uint8_t *state)
{
    for (int32_t i = 0; i < 8; i++)
        for (int32_t k = 0; k < counts[i]; k++) {
            state[k] = (uint8_t)(arena[k] + state[k]);
            __asm volatile("nop");
        }
}

/* From a word of memory that the function itself has written. */
ENTRY void resumed(uint8_t *arena, uint8_t *state)
{
    volatile int32_t *progress = (volatile int32_t *)(void *)state;
    *progress = 1;
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t k = *progress; k < 4 + i; k++)
            arena[k] = (uint8_t)(arena[k] + 1);
        *progress = *progress + 1;
    }
}

/* From an array on the stack, at a computed place. */
ENTRY void tabled(uint8_t *arena, uint8_t *state)
{
    volatile uint8_t ends[8];
    for (int32_t i = 0; i < 8; i++)
        ends[i] = (uint8_t)(8 - i);
    for (int32_t i = 0; i < 8; i++)
        for (int32_t k = 0; k < ends[i]; k++)
            state[k] = (uint8_t)(arena[k] + state[k]);
}

/* At an address that depends on data. */
ENTRY void looked_up(uint8_t *arena, uint8_t *state)
{
    for (int32_t k = 0; k < counts[arena[0] & 7]; k++) {
        state[k] = (uint8_t)(arena[k] + state[k]);
        __asm volatile("nop");
    }
}

/* From a word that was written, but with data. */
ENTRY void passed_on(uint8_t *arena, uint8_t *state)
{
    volatile int32_t *progress = (volatile int32_t *)(void *)state;
    *progress = 3;
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t k = *progress; k < 5; k++)
            __asm volatile("nop");
        *progress = arena[i] & 3;
    }
}

/* From an array on the stack that holds data. */
ENTRY void tabled_data(uint8_t *arena, uint8_t *state)
{
    volatile uint8_t ends[8];
    for (int32_t i = 0; i < 8; i++)
        ends[i] = arena[i] & 7;
    for (int32_t i = 0; i < 8; i++)
        for (int32_t k = 0; k < ends[i]; k++)
            state[k] = (uint8_t)(arena[k] + state[k]);
}

/* From a word that another input would overwrite. */
ENTRY void scattered(uint8_t *arena, uint8_t *state)
{
    volatile int32_t *progress = (volatile int32_t *)(void *)state;
    *progress = 3;
    ((volatile uint8_t *)state)[4 * (arena[0] & 1) + 4] = 0;
    for (int32_t k = *progress; k < 5; k++)
        __asm volatile("nop");
}
