/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PL340 and remap of the baseboard, hal_memory.h. The registers and the order of the commands are
 * those of DDI 0331, "initialization of DDR SDRAM". Which chips stand on the board no public
 * document says: every value of `setup` is inferred, for two chip selects of 128 MB, 32 bits wide,
 * with the slowest timing that any DDR SDRAM of that time asks for at up to 100 MHz, and refreshed
 * often enough from 24 MHz on. Who has the board's documents or its Boot Monitor corrects them here.
 */
#include "hal_map.h"
#include "hal_memory.h"

#define DMC_COMMAND    0x04
#define DMC_DIRECT     0x08
#define COMMAND_GO     0
#define COMMAND_CONFIG 4

/* direct_cmd: command in bits 19..18, bank in 17..16, chip in 21..20 */
#define PRECHARGE_ALL (0 << 18)
#define AUTO_REFRESH  (1 << 18)
#define MODE          (2 << 18)
#define NOP           (3 << 18)
#define CHIP(n)       ((n) << 20)
#define BANK(n)       ((n) << 16)
#define MODE_DLL      0x132 /* CAS latency 3, burst of 4, DLL reset */
#define MODE_RUN      0x032

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

    /* To a flash that still stands there every one of these is the command to read. */
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
    ldr     r1, =LOW                    @ still the same: the end is another memory
    ldr     r2, =PATTERN_LOW
    ldr     r1, [r1]
    cmp     r1, r2
    moveq   r0, #0
    bx      lr
    .ltorg

    .balign 4
setup:
    .word   DMC_COMMAND, COMMAND_CONFIG
    .word   0x10, 0xb0                  @ refresh_prd: 7.3 us at 24 MHz
    .word   0x14, 3 << 1                @ cas_latency
    .word   0x18, 1                     @ t_dqss
    .word   0x1c, 2                     @ t_mrd
    .word   0x20, 7                     @ t_ras
    .word   0x24, 11                    @ t_rc
    .word   0x28, 0x1b                  @ t_rcd: 3, and for the scheduler 3
    .word   0x2c, 0x1ef                 @ t_rfc: 15, scheduler 15
    .word   0x30, 0x1b                  @ t_rp: 3, scheduler 3
    .word   0x34, 2                     @ t_rrd
    .word   0x38, 3                     @ t_wr
    .word   0x3c, 2                     @ t_wtr
    .word   0x40, 2                     @ t_xp
    .word   0x44, 0x14                  @ t_xsr
    .word   0x48, 0x14                  @ t_esr
    .word   0x0c, 1 << 21 | 2 << 15 | 2 << 3 | 2 @ memory_cfg: 2 chips, burst of 4, 13 rows, 10 columns
    .word   0x200, 0x00f8               @ chip_0_cfg: 0x00000000 to 0x07ffffff
    .word   0x204, 0x08f8               @ chip_1_cfg: 0x08000000 to 0x0fffffff
    .irp    chip, 0, 1
    .word   DMC_DIRECT, CHIP(\chip) | NOP
    .word   DMC_DIRECT, CHIP(\chip) | PRECHARGE_ALL
    .word   DMC_DIRECT, CHIP(\chip) | MODE | BANK(1) @ extended: DLL on
    .word   DMC_DIRECT, CHIP(\chip) | MODE | MODE_DLL
    .word   DMC_DIRECT, CHIP(\chip) | PRECHARGE_ALL
    .word   DMC_DIRECT, CHIP(\chip) | AUTO_REFRESH
    .word   DMC_DIRECT, CHIP(\chip) | AUTO_REFRESH
    .word   DMC_DIRECT, CHIP(\chip) | MODE | MODE_RUN
    .endr
    .word   DMC_COMMAND, COMMAND_GO
    .word   -1, 0
