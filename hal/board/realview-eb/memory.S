/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PL340 and remap of the baseboard, hal_memory.h: the writes of memory_setup.inc, and a test of the RAM. */
#include "hal_map.h"
#include "hal_memory.h"

#define SET(register, value) .word register, value

#define POLLS         0x100000
#define PAUSE         0x10000 /* turns, of several accesses to the flash: at least 200 us */
#define LOW           (BOARD_RAM_BASE + 0x7e00)
#define PATTERN_LOW   0x5affa5ff
#define PATTERN_HIGH  0x3cffc3ff
#define HIGH          (BOARD_RAM_BASE + BOARD_RAM_BYTES - 0x40)

    .syntax unified
    .arch   armv6k
    .arm

    .section .text.memory, "ax", %progbits
    .global hal_memory_on
    .type   hal_memory_on, %function
hal_memory_on:
    ldr     r12, =BOARD_DMC_BASE
    ldr     r0, [r12]
    and     r0, r0, #3
    cmp     r0, #BOARD_DMC_READY
    beq     4f                          @ it has been done before
    ldr     r0, =PAUSE                  @ supply and clock are stable
1:  subs    r0, r0, #1
    bne     1b
    adr     r3, setup
2:  ldmia   r3!, {r0, r1}               @ register, value; the last line's register is negative
    cmp     r0, #0
    strpl   r1, [r12, r0]
    bpl     2b
    ldr     r1, =POLLS
3:  ldr     r0, [r12]
    and     r0, r0, #3
    cmp     r0, #BOARD_DMC_READY
    beq     4f
    subs    r1, r1, #1
    bne     3b
    mov     r0, #HAL_MEMORY_CONTROLLER
    bx      lr

4:  ldr     r12, =BOARD_SCTL_CONTROL
    ldr     r0, [r12]
    orr     r0, r0, #BOARD_SCTL_REMAP
    str     r0, [r12]

    /* A flash that is still mapped there takes each of these writes as the command to read. */
    ldr     r1, =LOW
    ldr     r2, =PATTERN_LOW
    mov     r0, #HAL_MEMORY_LOW
5:  eor     r3, r2, #0xff000000
    eor     r3, r3, #0x0000ff00
    str     r2, [r1]
    str     r3, [r1, #4]
    mov     r12, #0
    mcr     p15, 0, r12, c7, c10, 4
    ldr     r12, [r1]
    cmp     r12, r2
    ldreq   r12, [r1, #4]
    cmpeq   r12, r3
    bxne    lr
    cmp     r0, #HAL_MEMORY_HIGH
    ldrne   r1, =HIGH
    ldrne   r2, =PATTERN_HIGH
    movne   r0, #HAL_MEMORY_HIGH
    bne     5b
    ldr     r1, =LOW                    @ unchanged: the end is another memory
    ldr     r2, =PATTERN_LOW
    ldr     r1, [r1]
    cmp     r1, r2
    moveq   r0, #0
    bx      lr
    .ltorg

    .balign 4
setup:
#include "memory_setup.inc"
    .word   -1, 0
