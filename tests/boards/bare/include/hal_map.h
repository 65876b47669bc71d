/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board that shares the machine of the RealView EB, so that the emulator runs its programs, and
 * tells of less: two cores, 64 MB, no L220, no power, no flash, no watchdog, no mark, and a time
 * base of 24 bits that counts down at 1 MHz: the low bits of the first SP804 (DDI 0271).
 */
#ifndef HAL_MAP_H
#define HAL_MAP_H

#include "tile_machine.h"

#define BOARD_NAME     "bare"
#define BOARD_PLATFORM "realview-eb-mpcore"
#define BOARD_CORES    2

/* Not at the start of the memory: programs, vectors and stacks lie in its second quarter. */
#define BOARD_RAM_BASE     0x04000000
#define BOARD_RAM_BYTES    0x04000000
#define BOARD_RAM_FIRST    0x04100000
#define BOARD_VECTORS      0x04000000

#define BOARD_DEVICES(MAP) MAP(0x10000000U, 0x00200000U)

#define BOARD_CORE_HZ      210000000U

#define BOARD_TIME_COUNTER 0x10011004U
#define BOARD_TIME_HZ      1000000U
#define BOARD_TIME_BITS    24
#define BOARD_TIME_DOWN    1
/* Load, and run from all ones with 32 bits. */
#define BOARD_TIME_ON(SET)                                                                         \
    SET(0x10011000U, 0xffffffffU);                                                                 \
    SET(0x10011008U, 0x82U);

#define BOARD_UART0_BASE   0x10009000U
#define BOARD_UART_STRIDE  4
#define BOARD_UART_HZ      24000000U
#define BOARD_UART_DIVISOR TILE_DIVISOR_64THS

#define BOARD_MPCORE_BASE  0x10100000U
#define BOARD_SCU_BASE     (BOARD_MPCORE_BASE + 0x0000U)
#define BOARD_GICC_BASE    (BOARD_MPCORE_BASE + 0x0100U)
#define BOARD_TIMER_BASE   (BOARD_MPCORE_BASE + 0x0600U)
#define BOARD_TIMER2_BASE  (BOARD_MPCORE_BASE + 0x0620U)
#define BOARD_GICD_BASE    (BOARD_MPCORE_BASE + 0x1000U)

/* As on the RealView boards, which the emulator models. */
#define BOARD_SYS_FLAGS      0x10000030U
#define BOARD_SYS_FLAGSCLR   0x10000034U

#define BOARD_IRQ_UART0      36U
#define BOARD_IRQ_PMU0       49U
#define BOARD_IRQ_PMU_STRIDE 1
#define BOARD_IRQ_SCU0       53U

#define BOARD_POWERS         0
#define BOARD_L220_BYTES     0
#define BOARD_NOR_BANKS      0
#define BOARD_WATCHDOG_HZ    0

#endif
