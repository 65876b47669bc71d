/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boot stage, which the board starts, in the first block of the flash. It needs no RAM until it
 * has set up the memory, and reports errors over UART0 even before.
 */
#include "hal_map.h"
#include "hal_memory.h"
#include "loader_layout.h"

#define MODE_SVC 0x13
#define CONTROL  0x00c50078 /* as after a reset: all off; unaligned accesses as ARMv6, XP */
#define SCTLR_C  0x00000004
#define SCTLR_I  0x00001000

/* PL011: 115200 bit/s, 8N1; divisor in 64ths. */
#define DIVISOR   ((BOARD_UART_HZ * 4 + 57600) / 115200)
#define UART_FR   0x18
#define UART_IBRD 0x24
#define UART_LCRH 0x2c
#define UART_CR   0x30
#define FR_TXFF   0x20

    .syntax unified
    .arch   armv6k
    .arm

    .section .text.start, "ax", %progbits
    .global _start
    .type   _start, %function
_start:
    b       1f
    .word   0x424a504d                  @ copies.c: BOOT_MAGIC
1:  cpsid   aif, #MODE_SVC
    ldr     pc, =2f                     @ from the flash's image at 0 to the flash
2:  mov     r0, #0
    mrc     p15, 0, r1, c1, c0, 0
    tst     r1, #SCTLR_C                @ after a reset its contents are invalid
    mcrne   p15, 0, r0, c7, c14, 0
    mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r0, c7, c5, 0
    ldr     r1, =CONTROL | SCTLR_I
    mcr     p15, 0, r1, c1, c0, 0
    mcr     p15, 0, r0, c7, c5, 4
    mrc     p15, 0, r4, c0, c0, 5
    ands    r4, r4, #3
    beq     core0

    /* The other cores leave the flash, which will be written, for a loop in RAM once there is RAM.
     * No program writes this address. */
    ldr     r2, =BOARD_SYS_FLAGS
    ldr     r3, =LOADER_PARK
3:  ldr     r1, [r2]
    cmp     r1, r3
    bne     3b
    bx      r3

core0:
    ldr     r0, =BOARD_SYS_FLAGSCLR
    mvn     r1, #0
    str     r1, [r0]
    bl      hal_memory_on
    cmp     r0, #0
    bne     no_memory
    ldr     r0, =mpj_park
    ldr     r1, =mpj_park_end
    ldr     r2, =LOADER_PARK
4:  ldr     r3, [r0], #4
    str     r3, [r2], #4
    cmp     r0, r1
    blo     4b
    mov     r0, #0
    mcr     p15, 0, r0, c7, c10, 4
    ldr     r0, =BOARD_SYS_FLAGS
    ldr     r1, =LOADER_PARK
    str     r1, [r0]
    ldr     sp, =LOADER_STACK_TOP
    bl      mpj_boot_main               @ r0: the loader, in RAM; 0: there is none
    cmp     r0, #0
    beq     no_loader
    mov     r1, #0
    ldr     r2, =CONTROL
    mcr     p15, 0, r1, c7, c10, 4
    mcr     p15, 0, r2, c1, c0, 0
    mcr     p15, 0, r1, c7, c5, 0
    mcr     p15, 0, r1, c7, c5, 4
    bx      r0

no_memory:
    cmp     r0, #HAL_MEMORY_LOW
    ldr     r4, =controller
    ldreq   r4, =low
    ldrhi   r4, =high
    b       tell
no_loader:
    ldr     r4, =loader

/* Repeats the message at r4 for ever, for a host that connects later. */
tell:
    ldr     r6, =BOARD_UART0_BASE
    mov     r0, #0
    str     r0, [r6, #UART_CR]
    mov     r0, #(DIVISOR >> 6)
    str     r0, [r6, #UART_IBRD]
    mov     r0, #(DIVISOR & 63)
    str     r0, [r6, #UART_IBRD + 4]
    mov     r0, #0x70
    str     r0, [r6, #UART_LCRH]
    ldr     r0, =0x301
    str     r0, [r6, #UART_CR]
5:  mov     r5, r4
6:  ldrb    r0, [r5], #1
    cmp     r0, #0
    beq     8f
7:  ldr     r1, [r6, #UART_FR]
    tst     r1, #FR_TXFF
    bne     7b
    str     r0, [r6]
    b       6b
8:  ldr     r2, =BOARD_TIME_COUNTER
    ldr     r0, =BOARD_TIME_HZ
    ldr     r3, [r2]
9:  ldr     r1, [r2]
    sub     r1, r1, r3
    cmp     r1, r0                      @ 1 s
    blo     9b
    b       5b
    .ltorg

    .section .rodata.start, "a", %progbits
controller:
    .ascii  "mpjoule boot: the memory controller does not become ready (hal/board/"
    .ascii  BOARD_NAME
    .asciz  "/memory.S)\r\n"
low:
    .ascii  "mpjoule boot: no RAM at address 0: remap or memory controller (hal/board/"
    .ascii  BOARD_NAME
    .asciz  "/memory.S)\r\n"
high:
    .ascii  "mpjoule boot: no RAM at its end: its size, or the memory controller (hal/board/"
    .ascii  BOARD_NAME
    .asciz  "/memory.S)\r\n"
loader:
    .asciz  "mpjoule boot: no copy of the loader is whole: install it again\r\n"
