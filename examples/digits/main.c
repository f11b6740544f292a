/* Recognises three handwritten digits on a bare machine: no operating system, no heap, no libc.
 *
 *     byrote compile digits_int8.tflite -n digits -o build
 *
 * writes digits.h and the sources to compile with this file. You give the memory (one array) and a place for text.
 */
#include <stdint.h>

#include "digits.h"

/* Yours: writes one character to a UART, a debugger, a display. */
void board_putchar(char character);

/* All memory that an inference needs. Between two inferences it is free for anything else. */
static uint8_t arena[DIGITS_ARENA_SIZE] __attribute__((aligned(DIGITS_ARENA_ALIGN)));

/* Intensities from 0 to 16, of the test set of "Optical Recognition of Handwritten Digits" (see README.md). */
static const uint8_t images[3][64] = {
    {
        0,  3, 13, 16,  9,  0,  0,  0,
        0, 10, 15, 13, 15,  2,  0,  0,
        0, 15,  4,  4, 16,  1,  0,  0,
        0,  0,  0,  5, 16,  2,  0,  0,
        0,  0,  1, 14, 13,  0,  0,  0,
        0,  0, 10, 16,  5,  0,  0,  0,
        0,  4, 16, 13,  8, 10,  9,  1,
        0,  2, 16, 16, 14, 12,  9,  1,
    },
    {
        0,  7, 16, 16, 16, 16, 11,  0,
        0,  8, 16,  9,  6,  0,  1,  0,
        0,  3, 16,  3,  0,  0,  0,  0,
        0,  0, 11, 12,  0,  0,  0,  0,
        0,  0,  4, 16,  1,  0,  0,  0,
        0,  4,  0, 14,  4,  0,  0,  0,
        0,  9,  9, 16,  3,  0,  0,  0,
        0,  5, 15, 13,  0,  0,  0,  0,
    },
    {
        0,  0,  1, 11, 16, 16, 10,  0,
        0,  0, 13, 14,  8, 12, 11,  0,
        0,  0,  4,  0,  0, 13,  4,  0,
        0,  0,  0,  0,  3, 15,  0,  0,
        0,  0,  2, 15, 16, 16,  9,  0,
        0,  0,  3, 13, 16,  8,  1,  0,
        0,  0,  0,  7, 10,  0,  0,  0,
        0,  0,  0, 13,  3,  0,  0,  0,
    },
};

static void print(const char *text)
{
    while (*text != '\0') {
        board_putchar(*text);
        ++text;
    }
}

/* A number from 0 to 100. */
static void print_number(int number)
{
    int tens = 0;
    while (number >= 10) {
        number -= 10;
        ++tens;
    }
    if (tens >= 10) {
        board_putchar('1');
        tens -= 10;
        board_putchar((char)('0' + tens));
    } else if (tens > 0) {
        board_putchar((char)('0' + tens));
    }
    board_putchar((char)('0' + number));
}

/* The model's input is real = (q + 128) / 255 for intensities from 0 to 1. */
static void set_input(const uint8_t *image)
{
    int8_t *input = (int8_t *)(arena + DIGITS_INPUT_0_OFFSET);
    int i;
    for (i = 0; i < 64; ++i) {
        input[i] = (int8_t)(((image[i] * 255 + 8) >> 4) - 128);
    }
}

int main(void)
{
    const int8_t *output = (const int8_t *)(arena + DIGITS_OUTPUT_0_OFFSET);
    int image;
    for (image = 0; image < 3; ++image) {
        int best = 0;
        int digit;
        set_input(images[image]);
        digits_run(arena);
        for (digit = 1; digit < 10; ++digit) {
            best = output[digit] > output[best] ? digit : best;
        }
        print("This is a ");
        print_number(best);
        print(", ");
        print_number(((output[best] + 128) * 100 + 128) >> 8); /* real = (q + 128) / 256 */
        print(" % sure.\n");
    }
    return 0;
}
