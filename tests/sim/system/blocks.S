/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of two arguments: an address and where r0-r12 go afterwards. Each executes one instruction with
 * that address (and an offset) in its base register and n * 3 in every other rn.
 */
    .syntax unified
    .arch armv6k
    .fpu vfpv2
    .arm

    .macro block name, base, offset, instruction:vararg
    .global \name
\name:
    push {r4-r12, lr}
    push {r1}
    mov lr, r0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    mov r\n, #\n * 3
    .endr
    add \base, lr, #\offset
    \instruction
    nop
    push {r0-r12}
    ldr r0, [sp, #52]
    pop {r1-r8}
    stm r0!, {r1-r8}
    pop {r1-r5}
    stm r0!, {r1-r5}
    pop {r1}
    pop {r4-r12, pc}
    .endm

    block ldm_plain, r12, 0, ldm r12, {r0-r9}
    block ldm_base_first, r0, 0, ldm r0, {r0-r9}
    block ldm_base_middle, r4, 0, ldm r4, {r0-r9}
    block ldm_base_last, r9, 0, ldm r9, {r0-r9}
    block ldm_writeback, r10, 0, ldm r10!, {r0-r9}
    block ldm_down, r10, 40, ldmdb r10!, {r0-r9}
    block ldm_user, r12, 0, ldm r12, {r0-r11, sp, lr}^
    block ldm_user_base, r2, 0, ldm r2, {r0-r12, sp, lr}^
    block ldm_user_down, r2, 60, ldmdb r2, {r0-r12, sp, lr}^
    block stm_plain, r12, 0, stm r12, {r0-r9}
    block stm_base_first, r0, 0, stm r0, {r0-r9}
    block stm_base_last, r9, 0, stm r9, {r0-r9}
    block stm_writeback, r10, 0, stm r10!, {r0-r9}
    block stm_down, r10, 40, stmdb r10!, {r0-r9}
    block stm_user, r2, 0, stm r2, {r0-r12, sp, lr}^
    block ldrd_base, r6, 0, ldrd r6, r7, [r6]
    block ldrd_writeback, r10, 0, ldrd r6, r7, [r10], #8
    block strd_writeback, r10, -8, strd r6, r7, [r10, #8]!
    block ldr_writeback, r10, 0, ldr r6, [r10], #4
    block str_writeback, r10, -4, str r6, [r10, #4]!
    block ldrt_any, r10, 0, ldrt r6, [r10], #4
    block strt_any, r10, 0, strt r6, [r10], #4
    block swp_any, r10, 0, swp r6, r7, [r10]
    block ldr_unaligned, r10, 2, ldr r6, [r10], #4

    .macro loaded_float
    vldm r10!, {d0-d3}
    vmov r0, r1, d0
    vmov r2, r3, d1
    vmov r4, r5, d2
    vmov r6, r7, d3
    .endm
    .macro stored_float
    vmov d0, r0, r1
    vmov d1, r2, r3
    vmov d2, r4, r5
    vmov d3, r6, r7
    vstm r10!, {d0-d3}
    .endm
    block vldm_any, r10, 0, loaded_float
    block vstm_any, r10, 0, stored_float
    .macro exclusive
    ldrex r6, [r10]
    strex r8, r7, [r10]
    .endm
    block exclusive_any, r10, 0, exclusive
