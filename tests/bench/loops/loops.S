/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops of known length, assembled once and linked into a program for Linux and into one for the
 * bare tile: the same bytes, at the same place within a page. tests/bench/witness has what each
 * counts per round, derived by hand.
 *
 *     void *loop_NAME(uint32_t rounds, void *memory);     rounds >= 1
 *
 * Each returns where it stopped in memory. Only r0 to r3, r12 and VFP registers that a call may
 * change are used.
 */
    .syntax unified
    .arm
    .arch armv6k
    .fpu vfpv2
    .section .text.loops, "ax", %progbits
    .balign 4096

    .macro begin name
    .balign 64
    .global loop_\name
    .type loop_\name, %function
loop_\name:
    .endm

    .macro next label
    subs r0, r0, #1
    bne \label
    .endm

    .macro end name
    mov r0, r1
    bx lr
    .size loop_\name, . - loop_\name
    .endm

/* Four additions, each of the one before. */
    begin add
1:  .rept 4
    add r2, r2, #1
    .endr
    next 1b
    end add

/* Three products, each of the one before. */
    begin mul
1:  .rept 3
    mul r2, r2, r2
    .endr
    next 1b
    end mul

/* Loads that nothing waits for, of four lines. */
    begin load
1:  ldr r2, [r1]
    ldr r3, [r1, #32]
    ldr r12, [r1, #64]
    ldr r2, [r1, #96]
    next 1b
    end load

/* A load whose address is what the one before loaded. */
    begin chase
1:  ldr r1, [r1]
    next 1b
    end chase

/* Stores into four lines. */
    begin store
1:  str r0, [r1]
    str r0, [r1, #32]
    str r0, [r1, #64]
    str r0, [r1, #96]
    next 1b
    end store

/* A store into each line, one after the other. */
    begin store_lines
1:  str r0, [r1], #32
    next 1b
    end store_lines

/* A store into each word, one after the other. */
    begin store_words
1:  str r0, [r1], #4
    next 1b
    end store_words

/* Two branches that are always taken. */
    begin branch_right
    .balign 8
1:  mov r2, r2
    mov r2, r2
    b 2f
    mov r2, r2
2:  mov r2, r2
    mov r2, r2
    next 1b
    end branch_right

/*
 * A branch that is twice taken and twice not. Before, eight rounds beyond those asked for do not
 * take it, so that its two-bit counter begins at "strongly not taken".
 */
    begin branch_wrong
    push {r4, lr}
    mov r4, r0
    mov r0, #8
    mov r2, #0
    bl 3f
    mov r0, r4
    ldr r2, =0x66666666
    bl 3f
    mov r0, r1
    pop {r4, pc}
    .balign 8
3:  movs r2, r2, ror #1
    bcs 2f
    mov r3, r3
2:  subs r0, r0, #1
    mov r3, r3
    bne 3b
    bx lr
    .ltorg
    .size loop_branch_wrong, . - loop_branch_wrong

/* A call and a return. */
    begin call
    mov r12, lr
    .balign 8
1:  bl 2f
    subs r0, r0, #1
    mov r2, r2
    bne 1b
    mov r0, r1
    bx r12
2:  bx lr
    .size loop_call, . - loop_call

/* A branch to where a register says, which nothing predicts. */
    begin indirect
    adr r3, 2f
    .balign 8
1:  bx r3
    mov r2, r2
2:  next 1b
    end indirect

/* A store, and a wait until the store buffer is empty (CP15's barrier, allowed in User mode). */
    begin drain
    mov r3, #0
1:  str r0, [r1]
    mcr p15, 0, r3, c7, c10, 4
    next 1b
    end drain

/* Products of doubles, each added to the sum before. */
    begin vfp
    mov r2, #0
    vmov d0, r2, r2
    vmov d1, r2, r2
    vmov d2, r2, r2
1:  .rept 4
    vmla.f64 d0, d1, d2
    .endr
    next 1b
    end vfp

/* A word is read, changed and written, next to the partner's in the same line. */
    begin contended
1:  ldr r2, [r1]
    add r2, r2, #1
    str r2, [r1]
    next 1b
    end contended

/* The other core's part, until the word 64 bytes on is not 0; rounds are ignored. */
    begin partner
1:  ldr r2, [r1, #4]
    add r2, r2, #1
    str r2, [r1, #4]
    ldr r3, [r1, #64]
    cmp r3, #0
    beq 1b
    end partner

/* 64 KB of instructions, twice the instruction cache. */
    begin fetch
1:  .rept 16384
    mov r2, r2
    .endr
    next 1b
    end fetch

    .section .note.GNU-stack, "", %progbits
