/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory read, written and copied by eight words, assembled once for Linux and for the bare tile:
 *
 *     void move_NAME(uint32_t blocks, void *to, void *from);     of 32 bytes, blocks >= 1
 */
    .syntax unified
    .arm
    .arch armv6k
    .section .text.move, "ax", %progbits

    .macro move name, instructions:vararg
    .balign 64
    .global move_\name
    .type move_\name, %function
move_\name:
    push {r4-r10, lr}
1:  \instructions
    subs r0, r0, #1
    bne 1b
    pop {r4-r10, pc}
    .size move_\name, . - move_\name
    .endm

    .macro both
    ldm r2!, {r3-r10}
    stm r1!, {r3-r10}
    .endm

    move read, ldm r2!, {r3-r10}
    move write, stm r1!, {r3-r10}
    move copy, both

    .section .note.GNU-stack, "", %progbits
