/*
 * Runs kernels on demand: reads calls from standard input, writes the bytes they made to standard output.
 *
 * Every buffer is its own allocation of exactly the promised size, so that an address sanitizer sees every byte too far;
 * without one, canaries around written buffers do.  Numbers are int32 in the machine's order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rows.h"

enum { PHASE_RUN, PHASE_BEGIN, PHASE_FINISH, INPUTS = 8, CANARY = 64 };

/* The generated table of cases. */
void run_case(int32_t index, int32_t phase, const struct rows *in, uint8_t *out, uint8_t *scratch, uint8_t *state,
              int32_t rows);

static int32_t number(void)
{
    int32_t value;
    if (fread(&value, sizeof value, 1, stdin) != 1) exit(0);
    return value;
}

/* `size` bytes between canaries; aligned to 16 plus `shift`. */
static uint8_t *guarded(int32_t size, int32_t shift)
{
    uint8_t *block = (uint8_t *)malloc((size_t)size + (size_t)shift + 2 * CANARY);
    memset(block, 0xA5, (size_t)size + (size_t)shift + 2 * CANARY);
    return block + CANARY + shift;
}

static void release(uint8_t *bytes, int32_t size, int32_t shift)
{
    for (int32_t i = 0; i < CANARY; i++) {
        if (bytes[-1 - i] == 0xA5 && bytes[size + i] == 0xA5) continue;
        fprintf(stderr, "a kernel wrote beside its %d bytes\n", (int)size);
        exit(3);
    }
    free(bytes - CANARY - shift);
}

/* A buffer whose end is the end of its allocation; freed with the call. */
static uint8_t *exact(int32_t size, int32_t shift, uint8_t **keep)
{
    uint8_t *block = (uint8_t *)malloc((size_t)(size + shift) + (size + shift == 0));
    *keep = block;
    if (size && fread(block + shift, 1, (size_t)size, stdin) != (size_t)size) exit(4);
    return block + shift;
}

int main(void)
{
    for (;;) {
        const int32_t index = number(), calls = number(), scratch_size = number(), state_size = number();
        const int32_t shift = number();
        uint8_t *state = guarded(state_size, 0), *scratch = guarded(scratch_size, 0);
        for (int32_t call = 0; call < calls; call++) {
            const int32_t phase = number(), rows = number(), out_size = number(), in_place = number(), distance = number();
            const int32_t inputs = number();
            struct rows in[INPUTS];
            uint8_t *blocks[2 * INPUTS];
            int32_t sizes[INPUTS];
            memset(in, 0, sizeof in);
            for (int32_t k = 0; k < inputs; k++) {
                const int32_t held = number(), top = number(), first = number(), end = number();
                const int32_t kept = number(), fresh = number();
                sizes[k] = fresh;
                uint8_t *kept_rows = exact(kept, shift, &blocks[2 * k]);
                uint8_t *fresh_rows = exact(fresh, shift, &blocks[2 * k + 1]);
                in[k] = rows_of(kept_rows, fresh_rows, held, top, first, end);
            }
            /* An input may lie in the same memory, `distance` bytes above the output. */
            const int32_t shared = in_place < 0 ? 0 : distance + sizes[in_place];
            const int32_t memory = shared > out_size ? shared : out_size;
            uint8_t *out = guarded(memory, shift);
            if (in_place >= 0) {
                if (sizes[in_place]) memcpy(out + distance, in[in_place].fresh, (size_t)sizes[in_place]);
                in[in_place].fresh = out + distance;
            }
            run_case(index, phase, in, out, scratch, state, rows);
            if (out_size) fwrite(out, 1, (size_t)out_size, stdout);
            release(out, memory, shift);
            for (int32_t k = 0; k < 2 * inputs; k++) free(blocks[k]);
        }
        release(state, state_size, 0);
        release(scratch, scratch_size, 0);
    }
}
