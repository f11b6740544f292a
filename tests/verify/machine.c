/* Functions whose counts, stores, stack and faults are known by construction. */
#include <stdint.h>

#if defined(__arm__)
#define ARM(text) text
#define RISCV(text)
#else
#define ARM(text)
#define RISCV(text) text
#endif
#define NAKED __attribute__((naked, noinline))

/* `count` times four (Arm) or three (RISC-V) instructions, and two around them: 2 + 4 count, 2 + 3 count. */
NAKED void loop(uint32_t count)
{
    __asm volatile(
        ARM(".syntax unified\n movs r1, #0\n1: nop\n nop\n subs r0, #1\n bne 1b\n bx lr")
        RISCV(".option push\n.option norvc\n li a1, 0\n1: nop\n addi a0, a0, -1\n bnez a0, 1b\n ret\n.option pop"));
}

void fill(uint8_t *to, uint32_t count);
void fill(uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)(i + 1u);
        __asm volatile("" ::: "memory");
    }
}

void stray(uint8_t *to);
void stray(uint8_t *to)
{
    to[0] = 1;
    *(volatile uint8_t *)(to + 64) = 2;
}

uint32_t peek(const volatile uint8_t *from);
uint32_t peek(const volatile uint8_t *from)
{
    return *from;
}

NAKED uint32_t load_half(const uint8_t *from)
{
    __asm volatile(ARM("ldrh r0, [r0]\n bx lr") RISCV("lhu a0, 0(a0)\n ret"));
}

NAKED uint32_t load_word(const uint8_t *from)
{
    __asm volatile(ARM("ldr r0, [r0]\n bx lr") RISCV("lw a0, 0(a0)\n ret"));
}

NAKED void store_word(uint8_t *to, uint32_t value)
{
    __asm volatile(ARM("str r1, [r0]\n bx lr") RISCV("sw a1, 0(a0)\n ret"));
}

NAKED uint32_t load_many(const uint8_t *from)
{
    __asm volatile(ARM(".syntax unified\n ldm r0!, {r1, r2}\n adds r0, r1, r2\n bx lr")
                   RISCV("lw a1, 0(a0)\n lw a2, 4(a0)\n add a0, a1, a2\n ret"));
}

/* Stores two words 80 and 40 bytes below the stack pointer. */
NAKED void use_stack(uint32_t x)
{
    __asm volatile(ARM("sub sp, #80\n str r0, [sp]\n str r0, [sp, #40]\n add sp, #80\n bx lr")
                   RISCV("addi sp, sp, -80\n sw a0, 0(sp)\n sw a0, 40(sp)\n addi sp, sp, 80\n ret"));
}

uint32_t sum_of_ten(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h,
                    uint32_t i, uint32_t j);
uint32_t sum_of_ten(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h,
                    uint32_t i, uint32_t j)
{
    return a + 2u * b + 3u * c + 4u * d + 5u * e + 6u * f + 7u * g + 8u * h + 9u * i + 10u * j;
}

int32_t divide(int32_t a, int32_t b);
int32_t divide(int32_t a, int32_t b)
{
    return a / b;
}

void *memcpy(void *restrict to, const void *restrict from, __SIZE_TYPE__ size);
void *memset(void *to, int value, __SIZE_TYPE__ size);
void *memmove(void *to, const void *from, __SIZE_TYPE__ size);

void copy(uint8_t *to, const uint8_t *from, uint32_t size);
void copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
    memcpy(to, from, size);
}

void move(uint8_t *to, const uint8_t *from, uint32_t size);
void move(uint8_t *to, const uint8_t *from, uint32_t size)
{
    memmove(to, from, size);
}

void set(uint8_t *to, uint32_t value, uint32_t size);
void set(uint8_t *to, uint32_t value, uint32_t size)
{
    memset(to, (int)value, size);
}

void endless(void);
void endless(void)
{
    for (;;)
        __asm volatile("nop");
}

/* Loads and stores under conditions, then a branch: what a memory callback must not disturb. */
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2 && !defined(__ARM_ARCH_6M__)
NAKED uint32_t predicated(uint32_t *p, uint32_t c)
{
    __asm volatile(
        ".syntax unified\n cmp r1, #0\n mov r2, #0\n mov r3, #0\n"
        " ittee ne\n ldrne r2, [r0]\n addne r3, #1\n ldreq r2, [r0, #4]\n addeq r3, #2\n"
        " cmp r1, #5\n b 1f\n1: add r2, r2, r3\n cmp r1, #0\n"
        " ite eq\n streq r2, [r0, #8]\n strne r2, [r0, #12]\n adds r0, r2, #16\n bx lr");
}

/* An IT block that lies on both sides of a multiple of 1024, where the emulator begins a new block. */
__attribute__((aligned(1024))) NAKED uint32_t predicated_across(uint32_t *p, uint32_t c)
{
    __asm volatile(
        ".syntax unified\n cmp r1, #0\n b.w 2f\n .space 1024 - 6 - 4\n"
        "2: ittee ne\n ldrne r2, [r0]\n strne r2, [r0, #12]\n ldreq r2, [r0, #4]\n streq r2, [r0, #8]\n"
        " b 3f\n3: adds r2, #1\n adds r0, r2, #16\n bx lr");
}
#else
uint32_t predicated(uint32_t *p, uint32_t c);
uint32_t predicated(uint32_t *p, uint32_t c)
{
    uint32_t sum = c ? p[0] + 1u : p[1] + 2u;
    p[c ? 3 : 2] = sum;
    return sum + 16u;
}

uint32_t predicated_across(uint32_t *p, uint32_t c);
uint32_t predicated_across(uint32_t *p, uint32_t c)
{
    uint32_t value = c ? p[0] : p[1];
    p[c ? 3 : 2] = value;
    return value + 17u;
}
#endif
