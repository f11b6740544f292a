/* How often the inner loop runs is read from flash, at an address that only another loop decides. */
#include <stdint.h>

#define ENTRY __attribute__((noinline, used))

static const uint8_t counts[8] = {3, 1, 4, 1, 5, 9, 2, 6};

ENTRY void counted(uint8_t *arena, uint8_t *state)
{
    for (int32_t i = 0; i < 8; i++)
        for (int32_t k = 0; k < counts[i]; k++) {
            state[k] = (uint8_t)(arena[k] + state[k]);
            __asm volatile("nop");
        }
}

ENTRY void data_dependent(uint8_t *arena, uint8_t *state)
{
    for (int32_t k = 0; k < counts[arena[0] & 7]; k++) {
        state[k] = (uint8_t)(arena[k] + state[k]);
        __asm volatile("nop");
    }
}
