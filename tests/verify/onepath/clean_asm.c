/* Sequences without a dependence that need a closer look, as assembly. */

#define FUNCTION(name) ".text\n.global " #name "\n.type " #name ", %function\n.balign 4\n" #name ":\n"
#define END(name) ".size " #name ", . - " #name "\n"

void anchor(void);
void anchor(void)
{
}

#if defined(__arm__)
__asm__(".syntax unified\n.thumb\n"
        /* The callee saves and gives back a register that holds a count; the stack held data there before. */
        FUNCTION(restored) "push {r4, lr}\nldr r1, [r0]\npush {r1}\npop {r1}\nmovs r4, #3\nbl saves\nsubs r4, #1\nbne 1f\nnop\n"
        "1: pop {r4, pc}\n" END(restored)
        FUNCTION(saves) "push {r4, lr}\nldr r4, [r0]\nadds r4, r4, r4\nstr r4, [r0]\npop {r4, pc}\n" END(saves)
        /* A data flag is overwritten before it is read. */
        FUNCTION(overwritten_flag) "ldr r1, [r0]\nadds r1, r1, r1\nmovs r2, #1\nadds r2, r2, #1\nbcs 1f\nnop\n1: bx lr\n"
        END(overwritten_flag)
        /* A jump to an address that is known. */
        FUNCTION(known_jump) "ldr r1, 2f\nbx r1\n.balign 4\n2: .word known_target + 1\n" END(known_jump)
        FUNCTION(known_target) "bx lr\n" END(known_target));
#if defined(__thumb2__)
__asm__(".syntax unified\n.thumb\n"
        /* Both arms of a condition replace a register that holds data. */
        FUNCTION(both_arms) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\nmov r3, r0\nit ne\nmovne r1, #2\ncmp r1, #0\n"
        "beq 1f\nnop\n1: bx lr\n" END(both_arms)
        /* Data is replaced where a condition holds, and only read where the branch by that condition was not taken. */
        FUNCTION(arm_and_branch) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\nbeq 1f\nmov r1, #2\n1: cmp r1, #0\n"
        "beq 2f\nnop\n2: bx lr\n" END(arm_and_branch)
        FUNCTION(arm_and_opposite) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\nbne 1f\ncmp r1, #0\nbeq 2f\nnop\n"
        "1: nop\n2: bx lr\n" END(arm_and_opposite));
#endif
#else
__asm__(FUNCTION(restored) "addi sp, sp, -16\nsw ra, 12(sp)\nsw s2, 8(sp)\nli s2, 3\ncall saves\nbeqz s2, 1f\nnop\n"
        "1: lw s2, 8(sp)\nlw ra, 12(sp)\naddi sp, sp, 16\nret\n" END(restored)
        FUNCTION(saves) "addi sp, sp, -16\nsw s2, 0(sp)\nlw s2, 0(a0)\nsw s2, 4(a0)\nlw s2, 0(sp)\naddi sp, sp, 16\nret\n"
        END(saves)
        /* Helpers that save and restore registers are called through t0 and left by a jump. */
        FUNCTION(shared_prologue) "jal t0, save\nlw s2, 0(a0)\nsw s2, 4(a0)\nj restore\n" END(shared_prologue)
        FUNCTION(save) "addi sp, sp, -16\nsw ra, 12(sp)\nsw s2, 8(sp)\njr t0\n" END(save)
        FUNCTION(restore) "lw s2, 8(sp)\nlw ra, 12(sp)\naddi sp, sp, 16\nret\n" END(restore)
        FUNCTION(known_jump) "la a1, known_target\njr a1\n" END(known_jump)
        FUNCTION(known_target) "ret\n" END(known_target));
#endif
