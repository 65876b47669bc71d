/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses to the address r0 of the word r1: each returns what it has loaded, or 5 where that has faulted. */
    .syntax unified
    .arch armv6k
    .arm

    .macro access name, instruction:vararg
    .global \name
\name:
    mov r2, r0
    mov r0, #5
    \instruction
    bx lr
    .endm
    access load_word, ldr r0, [r2]
    access store_word, str r1, [r2]
    access load_word_user, ldrt r0, [r2]
    access store_word_user, strt r1, [r2]

/* In User mode: the words at r11 are function, r0, r1. */
    .global user_access
user_access:
    ldm r11, {r3, r4, r5}
    mov r0, r4
    mov r1, r5
    blx r3
    svc #0

/* A stack that grows over pages: r0 levels of 256 bytes, and all of them are read again. */
    .global user_stack
user_stack:
    mov r0, #0
    mov r6, #120
1:  push {r0-r9, r11, r12, lr}
    sub sp, sp, #204
    add r0, r0, r6
    subs r6, r6, #1
    bne 1b
    mov r6, #120
2:  add sp, sp, #204
    ldr r1, [sp]
    eor r0, r0, r1
    add r0, r0, r6
    pop {r1-r5, r7-r10, r11, r12, lr}
    add sp, sp, #4
    subs r6, r6, #1
    bne 2b
    svc #0
