/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors at 0. Each core has a stack of 16 KB for Supervisor and Abort mode each. An exception saves r0-r12,
 * the mode's lr (where to go on) and spsr, and calls its C function with the address of these words.
 */
    .syntax unified
    .arch armv6k
    .fpu vfpv2
    .section .vectors, "ax"
    .global _start
vectors:
    b _start
    b undefined
    b supervisor
    b prefetch_abort
    b data_abort
    b .
    b interrupt
    b .

    .macro entry name, adjust, call
\name:
    sub lr, lr, #\adjust
    srsdb sp!, #0x17
    cps #0x17
    push {r0-r12, lr}           @ of Abort mode: the rest is where SRS has put it
    mov r0, sp
    mov r4, sp
    bic sp, sp, #7
    bl \call
    mov sp, r4
    pop {r0-r12, lr}
    rfeia sp!
    .endm

    entry undefined, 4, on_undefined
    entry supervisor, 0, on_supervisor
    entry prefetch_abort, 4, on_prefetch_abort
    entry data_abort, 8, on_data_abort
    entry interrupt, 4, on_interrupt

_start:
    mrc p15, 0, r0, c0, c0, 5
    and r0, r0, #3
    ldr r1, =stacks_end
    sub r1, r1, r0, lsl #15
    cpsid if, #0x17
    mov sp, r1
    cps #0x13
    sub sp, r1, #0x4000
    mrc p15, 0, r1, c1, c0, 2   @ VFP
    orr r1, r1, #0xf00000
    mcr p15, 0, r1, c1, c0, 2
    mov r1, #0x40000000
    fmxr fpexc, r1
    bl entry

/*
 * Calls r0 in User mode with the user stack r1; on_supervisor() ends it. Returns
 * what user code had in r0.
 */
    .global user_call
user_call:
    push {r4-r12, lr}
    mrs r2, cpsr
    push {r1, r2}
    cps #0x1f
    mov sp, r1
    cps #0x13
    mov r3, #0x10
    msr spsr_cxsf, r3
    movs pc, r0
    .global user_end
user_end:                       @ entered in Supervisor mode, result in r0
    pop {r1, r2}
    msr cpsr_c, r2
    pop {r4-r12, pc}

    .bss
    .align 12
    .space 4 * 32768
stacks_end:
