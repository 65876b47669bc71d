/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hal_machine.h"

#include "hal_map.h"

const struct tile_machine hal_machine = {
    .name = BOARD_NAME,
    .platform = BOARD_PLATFORM,
    .title = "RealView EB of which half is kept quiet",
    .chip = "arm11mpcore",
    .cores = BOARD_CORES,
    .core_hz = BOARD_CORE_HZ,
    .private_base = BOARD_MPCORE_BASE,
    .start = {.kind = TILE_START_FLAGS, .entry = BOARD_SYS_FLAGS},
    .rams = 1,
    .ram = {{BOARD_RAM_BASE, BOARD_RAM_BYTES}},
    .time = {BOARD_TIME_COUNTER, BOARD_TIME_HZ, BOARD_TIME_BITS, BOARD_TIME_DOWN},
    .uart = {TILE_UART_PL011, BOARD_UART0_BASE, BOARD_UART_STRIDE, BOARD_UART_HZ,
             BOARD_UART_DIVISOR, BOARD_IRQ_UART0},
    .irq = {BOARD_IRQ_PMU0, BOARD_IRQ_PMU_STRIDE, BOARD_IRQ_SCU0, 0},
};
