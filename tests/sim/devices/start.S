/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors at 0; every core gets a stack for each of the two modes in use. */
    .syntax unified
    .section .vectors, "ax"
    .global _start
vectors:
    b _start
    b .
    b .
    b .
    b .
    b .
    b irq
    b .
irq:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    bl irq_dispatch
    ldm sp!, {r0-r3, r12, pc}^
_start:
    mrc p15, 0, r0, c0, c0, 5
    and r0, r0, #3
    cpsid i, #0x12
    ldr sp, =0x200000
    sub sp, sp, r0, lsl #16
    cps #0x13
    ldr sp, =0x300000
    sub sp, sp, r0, lsl #16
    bl entry
