/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hal_machine.h"

#include "hal_map.h"

#define L220_LINE 32U

const struct tile_machine hal_machine = {
    .name = BOARD_NAME,
    .platform = BOARD_PLATFORM,
    .title = "RealView Platform Baseboard for ARM11 MPCore",
    .chip = "arm11mpcore",
    .cores = BOARD_CORES,
    .core_hz = BOARD_CORE_HZ,
    .private_base = BOARD_MPCORE_BASE,
    .start = {.kind = TILE_START_FLAGS, .entry = BOARD_SYS_FLAGS},
    .rams = 1,
    .ram = {{BOARD_RAM_BASE, BOARD_RAM_BYTES}},
    .time = {BOARD_TIME_COUNTER, BOARD_TIME_HZ, BOARD_TIME_BITS, BOARD_TIME_DOWN},
    .uart = {.kind = TILE_UART_PL011,
             .base = BOARD_UART0_BASE,
             .stride = BOARD_UART_STRIDE,
             .clock_hz = BOARD_UART_HZ,
             .divisor = BOARD_UART_DIVISOR,
             .irq = BOARD_IRQ_UART0},
    .irq = {BOARD_IRQ_PMU0, BOARD_IRQ_PMU_STRIDE, BOARD_IRQ_SCU0, BOARD_IRQ_L220},
    .powers = BOARD_POWERS,
    .l2 = {TILE_L2_L220, BOARD_L220_BASE, BOARD_L220_BYTES, BOARD_L220_WAYS, L220_LINE},
    .nor = {BOARD_NOR0_BASE, BOARD_NOR_BANKS, BOARD_NOR_BYTES, .chips = 2, .chip_bits = 16},
    .watchdog = {TILE_WATCHDOG_SP805, BOARD_WATCHDOG_BASE, BOARD_WATCHDOG_HZ},
    .mark = {TILE_MARK_BITS, BOARD_SYS_LED, 1U << BOARD_LED_RUN},
};
