/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop of a core that is not needed yet: sleeps until an SGI, then jumps to SYS_FLAGS, like the Boot
 * Monitor's. Position-independent, to be copied to LOADER_PARK.
 */
#include "hal_map.h"

    .syntax unified
    .arch   armv6k
    .arm

    .section .text.park, "ax", %progbits
    .global mpj_park
    .global mpj_park_end
mpj_park:
    ldr     r0, 2f
    mov     r1, #0xf0
    str     r1, [r0, #4]
    mov     r1, #1
    str     r1, [r0]
    ldr     r2, 3f
    mov     r0, #0
1:  mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r0, c7, c0, 4
    ldr     r1, [r2]
    cmp     r1, #0
    beq     1b
    bx      r1
2:  .word   BOARD_GICC_BASE
3:  .word   BOARD_SYS_FLAGS
mpj_park_end:
