/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A board of no one: one core, 16550, 25 MHz, another L220, memory in the middle of the map. */
#ifndef HAL_MAP_H
#define HAL_MAP_H

#include "tile_machine.h"

#define BOARD_NAME      "made-up"
#define BOARD_PLATFORM  "made-up"
#define BOARD_CORES     1

#define BOARD_RAM_BASE  0x48000000
#define BOARD_RAM_BYTES 0x08000000
#define BOARD_RAM_FIRST 0x48200000
#define BOARD_VECTORS   0x48000000

#define BOARD_DEVICES(MAP)                                                                         \
    MAP(0x20000000U, 0x00100000U)                                                                  \
    MAP(0x60000000U, 0x00400000U)

#define BOARD_CORE_HZ        500000000U

#define BOARD_TIME_COUNTER   0x20000040U
#define BOARD_TIME_HZ        25000000U
#define BOARD_TIME_BITS      32
#define BOARD_TIME_DOWN      0

#define BOARD_UART0_BASE     0x20010000U
#define BOARD_UART_STRIDE    4
#define BOARD_UART_HZ        24000000U
#define BOARD_UART_DIVISOR   TILE_DIVISOR_WHOLE

#define BOARD_MPCORE_BASE    0x60000000U
#define BOARD_SCU_BASE       (BOARD_MPCORE_BASE + 0x0000U)
#define BOARD_GICC_BASE      (BOARD_MPCORE_BASE + 0x0100U)
#define BOARD_TIMER_BASE     (BOARD_MPCORE_BASE + 0x0600U)
#define BOARD_TIMER2_BASE    (BOARD_MPCORE_BASE + 0x0620U)
#define BOARD_GICD_BASE      (BOARD_MPCORE_BASE + 0x1000U)
#define BOARD_L220_BASE      0x60200000U
#define BOARD_L220_BYTES     0x40000U
#define BOARD_L220_WAYS      8

#define BOARD_IRQ_UART0      40U
#define BOARD_IRQ_PMU0       0U
#define BOARD_IRQ_PMU_STRIDE 0
#define BOARD_IRQ_SCU0       0U
#define BOARD_IRQ_L220       0U

#define BOARD_POWERS         0
#define BOARD_NOR_BANKS      0
#define BOARD_WATCHDOG_HZ    0

#endif
