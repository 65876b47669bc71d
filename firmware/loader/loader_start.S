/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start of the resident loader: from the flash after a reset, or from wherever a debugger or the
 * Boot Monitor put it.
 *
 * The flash cannot be read while it is programmed: core 0 copies the loader to RAM, and the other
 * cores go to a loop in RAM before it reports that it is ready.
 */
#include "hal_map.h"
#include "loader_layout.h"

#define MODE_SVC 0x13
#define CONTROL  0x00c50078 /* as after a reset: all off; unaligned accesses as ARMv6, XP */
#define CACHED   0x00001805 /* MMU, data cache, branch prediction, instruction cache */
#define READY    0x4c4f4144 /* in the word before the loop */

/* return stack, dynamic and static branch prediction, folding, SMP */
#define ACTLR_BITS     0x2f
#define ACTLR_SMP      0x20
#define SECTION_RAM    0x00011c0e /* write-back, write-allocate, shareable */
#define SECTION_DEVICE 0x00000c16 /* never execute */

    .syntax unified
    .arch   armv6k
    .arm

    .section .text.start, "ax", %progbits
    .global _start
    .type   _start, %function
_start:
    cpsid   aif, #MODE_SVC
    mov     r0, #0
    mcr     p15, 0, r0, c7, c14, 0      @ clean and invalidate the data cache
    mcr     p15, 0, r0, c7, c10, 4
    ldr     r1, =CONTROL
    mcr     p15, 0, r1, c1, c0, 0
    mcr     p15, 0, r0, c7, c5, 0       @ invalidate the instruction cache
    mcr     p15, 0, r0, c7, c5, 4
    mrc     p15, 0, r4, c0, c0, 5
    ands    r4, r4, #3
    ldr     r6, =LOADER_PARK
    bne     2f

    mov     r0, #0
    str     r0, [r6, #-4]
    adr     r0, _start
    ldr     r1, =__image_start
    ldr     r2, =__image_end
    cmp     r0, r1
    beq     3f
1:  ldr     r3, [r0], #4
    str     r3, [r1], #4
    cmp     r1, r2
    blo     1b
3:  ldr     r0, =mpj_park
    ldr     r1, =mpj_park_end
    mov     r2, r6
4:  ldr     r3, [r0], #4
    str     r3, [r2], #4
    cmp     r0, r1
    blo     4b
    mov     r0, #0
    mcr     p15, 0, r0, c7, c10, 4
    ldr     r0, =READY
    str     r0, [r6, #-4]
    mov     r0, #0
    mcr     p15, 0, r0, c7, c10, 4
    ldr     r0, =in_ram
    bx      r0
in_ram:
    ldr     sp, =LOADER_STACK_TOP
    ldr     r0, =__bss_start
    ldr     r1, =__bss_end
    mov     r2, #0
5:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     5b

    /* A flat map, so that the caches can be on: at 921600 bit/s a byte comes every 11 us, and the
     * receiver holds sixteen. Images are also written through the data cache, which is cleaned before
     * the jump; the flash is a device, since it is written. */
    ldr     r0, =page_table
    mov     r1, #0
    ldr     r5, =BOARD_RAM_BASE
    ldr     r2, =SECTION_RAM
    ldr     r3, =SECTION_DEVICE
6:  sub     r4, r1, r5
    cmp     r4, #BOARD_RAM_BYTES
    orrlo   r4, r1, r2
    orrhs   r4, r1, r3
    str     r4, [r0], #4
    adds    r1, r1, #0x100000
    bne     6b
    ldr     r0, =page_table
    mcr     p15, 0, r1, c2, c0, 2       @ one table
    mcr     p15, 0, r0, c2, c0, 0
    mov     r0, #1
    mcr     p15, 0, r0, c3, c0, 0
    ldr     r0, =BOARD_SCU_BASE         @ the data cache works as part of the coherent system
    ldr     r2, =0xffff
    str     r2, [r0, #0x0c]
    ldr     r2, [r0]
    orr     r2, r2, #1
    str     r2, [r0]
    mrc     p15, 0, r0, c1, c0, 1
    orr     r0, r0, #ACTLR_BITS
    mcr     p15, 0, r0, c1, c0, 1
    mcr     p15, 0, r1, c7, c6, 0       @ nothing is in the data cache that is not in memory
    mcr     p15, 0, r1, c7, c5, 0
    mcr     p15, 0, r1, c8, c7, 0
    mcr     p15, 0, r1, c7, c10, 4
    mrc     p15, 0, r0, c1, c0, 0
    ldr     r2, =CACHED
    orr     r0, r0, r2
    mcr     p15, 0, r0, c1, c0, 0
    mcr     p15, 0, r1, c7, c5, 4
    ldr     r0, =mpj_loader_main
    bx      r0

2:  ldr     r0, [r6, #-4]
    ldr     r1, =READY
    cmp     r0, r1
    bne     2b
    bx      r6
    .ltorg

/* Leaves the loader: r0 entry. */
    .global mpj_loader_jump
    .type   mpj_loader_jump, %function
mpj_loader_jump:
    mov     r4, r0
    mov     r0, #0
    mcr     p15, 0, r0, c7, c14, 0      @ the image is in the data cache
    mcr     p15, 0, r0, c7, c10, 4
    ldr     r1, =CONTROL
    mcr     p15, 0, r1, c1, c0, 0
    mrc     p15, 0, r1, c1, c0, 1
    bic     r1, r1, #ACTLR_SMP
    mcr     p15, 0, r1, c1, c0, 1
    mcr     p15, 0, r0, c7, c5, 0
    mcr     p15, 0, r0, c8, c7, 0
    mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r0, c7, c5, 4
    bx      r4
    .ltorg

    .section .bss.table, "aw", %nobits
    .balign 16384
page_table:
    .space  16384
