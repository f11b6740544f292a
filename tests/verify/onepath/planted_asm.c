/* Dependences that need one particular instruction, as assembly.  Each function gets the data in its first argument. */

#define FUNCTION(name) \
    ".text\n.global " #name "\n.type " #name ", %function\n.balign 4\n" #name ":\n"
#define END(name) ".size " #name ", . - " #name "\n"

void anchor(void);
void anchor(void)
{
}

#if defined(__arm__)
__asm__(".syntax unified\n.thumb\n"
        /* The carry survives an instruction that only sets N and Z. */
        FUNCTION(carry_flag) "ldr r1, [r0]\nmovs r2, #1\nadds r1, r1, r2\nmovs r2, #0\nbcs 1f\nnop\n1: bx lr\n" END(carry_flag)
        /* A carry chain. */
        FUNCTION(carry_chain) "ldr r1, [r0]\nmovs r2, #0\nmovs r3, #0\nadds r1, r1, r1\nadcs r2, r3\ncmp r2, #0\nbeq 1f\n"
        "nop\n1: bx lr\n" END(carry_chain)
        /* A shift by a register that may be 0 keeps the old carry. */
        FUNCTION(kept_carry) "ldr r1, [r0]\nadds r1, r1, r1\nmovs r2, #0\nmovs r3, #4\nlsls r3, r2\nbcs 1f\nnop\n"
        "1: bx lr\n" END(kept_carry)
        FUNCTION(overflow_flag) "ldr r1, [r0]\nadds r1, r1, r1\nmovs r1, #0\nbvs 1f\nnop\n1: bx lr\n" END(overflow_flag)
        FUNCTION(jump_register) "ldr r1, [r0]\nmovs r2, #4\nands r1, r2\nadr r2, 1f\nadds r1, r1, r2\nadds r1, #1\nbx r1\n"
        ".balign 4\n1: nop\nnop\nbx lr\n" END(jump_register)
        FUNCTION(popped_pc) "push {lr}\nldr r1, [r0]\npush {r1}\npop {pc}\n" END(popped_pc)
        FUNCTION(status) "ldr r1, [r0]\nadds r1, r1, r1\nmrs r2, apsr\nmovs r1, #0\nlsrs r2, r2, #29\nbcs 1f\nnop\n1: bx lr\n"
        END(status)
        FUNCTION(pushed_many) "push {r4, r5, r6, lr}\nldr r4, [r0]\nmovs r5, #1\nmovs r6, #2\npush {r4, r5, r6}\n"
        "movs r4, #0\npop {r1, r2, r3}\ncmp r1, #0\nbeq 1f\nnop\n1: pop {r4, r5, r6, pc}\n" END(pushed_many)
        FUNCTION(multiple) "sub sp, #16\nmov r3, sp\nldr r1, [r0]\nmovs r0, #0\nstm r3!, {r0, r1}\nldr r0, [sp, #4]\n"
        "movs r1, #0\nadd sp, #16\ncmp r0, #0\nbeq 1f\nnop\n1: bx lr\n" END(multiple)
        /* The value moves to the callee in r7, which no convention allows. */
        FUNCTION(hidden_argument) "push {r7, lr}\nldr r7, [r0]\nbl hidden\npop {r7, pc}\n" END(hidden_argument)
        FUNCTION(hidden) "cmp r7, #0\nbeq 1f\nnop\n1: bx lr\n" END(hidden)
        /* A callee that does not give back r4. */
        FUNCTION(not_restored) "push {r4, lr}\nmovs r4, #0\nbl spoils\ncmp r4, #0\nbeq 1f\nnop\n1: pop {r4, pc}\n"
        END(not_restored)
        FUNCTION(spoils) "ldr r4, [r0]\nbx lr\n" END(spoils));
#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__)
__asm__(".syntax unified\n.thumb\n"
        FUNCTION(compare_zero) "ldr r1, [r0]\ncbz r1, 1f\nnop\n1: bx lr\n" END(compare_zero)
        FUNCTION(if_then) "ldr r1, [r0]\nmovs r2, #0\ncmp r1, #3\nit gt\naddgt r2, r1\nmov r0, r2\nbx lr\n" END(if_then)
        FUNCTION(if_then_return) "ldr r1, [r0]\ncmp r1, #3\nit gt\nbxgt lr\nnop\nbx lr\n" END(if_then_return)
        /* The condition inside an IT block changes under way. */
        FUNCTION(if_then_compare) "ldr r1, [r0]\nmovs r2, #0\ncmp r2, #0\nitt eq\ncmpeq r1, #3\nmoveq r0, #1\nbx lr\n"
        END(if_then_compare)
        FUNCTION(table_branch) "ldr r1, [r0]\nand r1, r1, #1\ntbb [pc, r1]\n2: .byte (1f-2b)/2, (3f-2b)/2\n1: nop\n3: bx lr\n"
        END(table_branch)
        FUNCTION(loaded_pc) "ldr r1, [r0]\nand r1, r1, #1\nadr r2, 2f\nldr pc, [r2, r1, lsl #2]\n.balign 4\n"
        "2: .word 1f+1, 3f+1\n1: nop\n3: bx lr\n" END(loaded_pc)
        FUNCTION(pair) "ldrd r2, r3, [r0]\nstrd r2, r3, [sp, #-8]!\nmovs r2, #0\nmovs r3, #0\nldr r1, [sp, #4]\nadd sp, #8\n"
        "cmp r1, #0\nbeq 1f\nnop\n1: bx lr\n" END(pair)
        FUNCTION(written_back) "ldr r1, [r0]\nstr r1, [sp, #-4]!\nmovs r1, #0\nldr r1, [sp], #4\ncmp r1, #0\nbeq 1f\nnop\n"
        "1: bx lr\n" END(written_back)
        FUNCTION(bit_field) "ldr r1, [r0]\nmovs r2, #0\nbfi r2, r1, #4, #4\ncmp r2, #0\nbeq 1f\nnop\n1: bx lr\n" END(bit_field)
        FUNCTION(long_product) "ldr r1, [r0]\nmovs r2, #5\nsmull r2, r3, r1, r2\ncmp r3, #0\nbeq 1f\nnop\n1: bx lr\n"
        END(long_product)
        FUNCTION(saturated_flag) "mov r3, #0\nmsr apsr_nzcvq, r3\nldr r1, [r0]\nssat r1, #8, r1\nmrs r2, apsr\nlsls r2, r2, #5\n"
        "bcs 1f\nnop\n1: bx lr\n" END(saturated_flag)
        FUNCTION(array_any) "sub sp, #16\nmov r3, sp\nmovs r2, #0\nstr r2, [sp, #8]\nldr r1, [r0]\n"
        "2: str r1, [r3], #4\nadds r2, #1\ncmp r2, #4\nbne 2b\nldr r1, [sp, #8]\nadd sp, #16\ncmp r1, #0\nbeq 1f\nnop\n"
        "1: bx lr\n" END(array_any)
        /* One of two opposite conditions is missing, or the flags change in between: the old value may survive. */
        FUNCTION(one_arm) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\ncmp r1, #0\nbeq 1f\nnop\n1: bx lr\n" END(one_arm)
        FUNCTION(two_conditions) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\ncmp r0, #8\nit ne\nmovne r1, #2\n"
        "cmp r1, #0\nbeq 1f\nnop\n1: bx lr\n" END(two_conditions)
        /* The branch leads to where the old value survives, or goes by other flags. */
        FUNCTION(wrong_branch) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\nbne 1f\nmov r1, #2\n1: cmp r1, #0\n"
        "beq 2f\nnop\n2: bx lr\n" END(wrong_branch)
        FUNCTION(later_branch) "ldr r1, [r0]\ncmp r0, #4\nit eq\nmoveq r1, #1\ncmp r0, #8\nbeq 1f\nmov r1, #2\n1: cmp r1, #0\n"
        "beq 2f\nnop\n2: bx lr\n" END(later_branch)
        FUNCTION(divided) "ldr r1, [r0]\nmovs r2, #5\nudiv r0, r1, r2\nbx lr\n" END(divided)
        FUNCTION(divisor) "ldr r1, [r0]\nmovs r2, #5\nsdiv r0, r2, r1\nbx lr\n" END(divisor)
        FUNCTION(unknown) "ldrex r1, [r0]\nbx lr\n" END(unknown));
#endif
#if defined(__ARM_FEATURE_DSP)
__asm__(".syntax unified\n.thumb\n"
        FUNCTION(lanes) "ldr r1, [r0]\nmovs r2, #3\nusub8 r1, r1, r2\nmovs r2, #0\nmovs r3, #1\nsel r1, r2, r3\ncmp r1, #0\n"
        "beq 1f\nnop\n1: bx lr\n" END(lanes)
        FUNCTION(dual_product) "ldr r1, [r0]\nmovs r2, #3\nsmlad r1, r1, r2, r2\ncmp r1, #0\nbeq 1f\nnop\n1: bx lr\n"
        END(dual_product)
        FUNCTION(dual_long) "ldr r1, [r0]\nmovs r2, #3\nmovs r3, #0\nmovs r0, #0\nsmlald r0, r3, r1, r2\ncmp r3, #0\nbeq 1f\nnop\n"
        "1: bx lr\n" END(dual_long));
#endif
#else
__asm__(FUNCTION(compare_zero) "lw a1, 0(a0)\nbeqz a1, 1f\nnop\n1: ret\n" END(compare_zero)
        FUNCTION(less) "lw a1, 0(a0)\nslti a1, a1, 3\nli a2, 1\nbne a1, a2, 1f\nnop\n1: ret\n" END(less)
        FUNCTION(jump_register) "lw a1, 0(a0)\nandi a1, a1, 4\nla a2, 1f\nadd a1, a1, a2\njr a1\n.balign 4\n"
        "1: nop\nnop\nnop\nnop\nret\n" END(jump_register)
        FUNCTION(jump_offset) "lw a1, 0(a0)\njalr t0, 4(a1)\nret\n" END(jump_offset)
        FUNCTION(returned_elsewhere) "lw ra, 0(a0)\nret\n" END(returned_elsewhere)
        FUNCTION(other_link) "jal t0, through_t0\nbeqz a1, 1f\nnop\n1: ret\n" END(other_link)
        FUNCTION(through_t0) "lw a1, 0(a0)\njr t0\n" END(through_t0)
        FUNCTION(stack_word) "addi sp, sp, -16\nlw a1, 0(a0)\nsw a1, 12(sp)\nli a1, 0\nlw a1, 12(sp)\naddi sp, sp, 16\n"
        "beqz a1, 1f\nnop\n1: ret\n" END(stack_word)
        FUNCTION(frame_pointer) "addi sp, sp, -16\nsw s0, 8(sp)\naddi s0, sp, 16\nlbu a1, 0(a0)\nsb a1, -9(s0)\nlw a1, 4(sp)\n"
        "lw s0, 8(sp)\naddi sp, sp, 16\nbeqz a1, 1f\nnop\n1: ret\n" END(frame_pointer)
        FUNCTION(hidden_argument) "addi sp, sp, -16\nsw ra, 12(sp)\nsw s2, 8(sp)\nlw s2, 0(a0)\ncall hidden\nlw s2, 8(sp)\n"
        "lw ra, 12(sp)\naddi sp, sp, 16\nret\n" END(hidden_argument)
        FUNCTION(hidden) "beqz s2, 1f\nnop\n1: ret\n" END(hidden)
        FUNCTION(not_restored) "addi sp, sp, -16\nsw ra, 12(sp)\nli s2, 0\ncall spoils\nlw ra, 12(sp)\naddi sp, sp, 16\n"
        "beqz s2, 1f\nnop\n1: ret\n" END(not_restored)
        FUNCTION(spoils) "lw s2, 0(a0)\nret\n" END(spoils)
        FUNCTION(high_product) "lw a1, 0(a0)\nli a2, 5\nmulhu a1, a1, a2\nbeqz a1, 1f\nnop\n1: ret\n" END(high_product)
        FUNCTION(array_any) "addi sp, sp, -16\nmv a3, sp\nli a2, 4\nlw a1, 0(a0)\n2: sw a1, 0(a3)\naddi a3, a3, 4\n"
        "addi a2, a2, -1\nbnez a2, 2b\nlw a1, 8(sp)\naddi sp, sp, 16\nbeqz a1, 1f\nnop\n1: ret\n" END(array_any)
        FUNCTION(divided) "lw a1, 0(a0)\nli a2, 5\ndivu a0, a1, a2\nret\n" END(divided)
        FUNCTION(divisor) "lw a1, 0(a0)\nli a2, 5\nrem a0, a2, a1\nret\n" END(divisor)
        FUNCTION(unknown) ".word 0xc00025f3\nret\n" END(unknown));
#endif
