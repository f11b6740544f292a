/*
 * Runs a kernel on cases from standard input and writes the outputs to standard output.
 *
 * HEADER, STRUCT and CALL name the kernel; CALL sees s, t[] (tables), in[] (rows), out, scratch and rows.  All buffers
 * come from malloc with the sizes given, so that sanitizers see every access beyond them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include HEADER

static int32_t number(void)
{
    int32_t v = 0;
    if (fread(&v, 4, 1, stdin) != 1) exit(0);
    return v;
}

static void *block(void)
{
    const size_t size = (size_t)number();
    void *const p = malloc(size ? size : 1);
    if (!p || (size && fread(p, 1, size, stdin) != size)) exit(2);
    return p;
}

static void *filled(int32_t size, int byte)
{
    void *const p = malloc(size ? (size_t)size : 1);
    if (!p) exit(3);
    memset(p, byte, size ? (size_t)size : 1);
    return p;
}

int main(void)
{
    for (;;) {
        struct STRUCT s;
        struct rows in[4];
        void *t[4], *base[8];
        if (number() != (int32_t)sizeof s || fread(&s, 1, sizeof s, stdin) != sizeof s) return 4;
        const int32_t tables = number();
        for (int32_t i = 0; i < tables; i++) t[i] = block();
        const int32_t inputs = number();
        for (int32_t i = 0; i < inputs; i++) {
            base[2 * i] = block();
            base[2 * i + 1] = block();
            const int32_t held = number(), top = number(), first = number(), end = number();
            in[i] = rows_of(base[2 * i], base[2 * i + 1], held, top, first, end);
        }
        const int32_t out_size = number(), scratch_size = number(), rows = number();
        uint8_t *const out = filled(out_size, 0xA5), *const scratch = filled(scratch_size, 0x5A);
        CALL;
        fwrite(out, 1, (size_t)out_size, stdout);
        fflush(stdout);
        free(out);
        free(scratch);
        for (int32_t i = 0; i < tables; i++) free(t[i]);
        for (int32_t i = 0; i < 2 * inputs; i++) free(base[i]);
    }
}
