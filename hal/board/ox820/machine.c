/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hal_machine.h"

#include "hal_map.h"

const struct tile_machine hal_machine = {
    .name = BOARD_NAME,
    .platform = BOARD_PLATFORM,
    .title = "OX820 (PLX NAS7820), as in the Pogoplug series 3",
    .chip = "arm11mpcore",
    .cores = BOARD_CORES,
    .core_hz = BOARD_CORE_HZ,
    .private_base = BOARD_MPCORE_BASE,
    .start = {.kind = TILE_START_PEN, .entry = BOARD_SYS_PEN, .core = BOARD_SYS_PEN_CORE},
    .rams = 1,
    .ram = {{BOARD_RAM_BASE, BOARD_RAM_BYTES}},
    .time = {BOARD_TIME_COUNTER, BOARD_TIME_HZ, BOARD_TIME_BITS, BOARD_TIME_DOWN},
    .uart = {.kind = TILE_UART_16550,
             .base = BOARD_UART0_BASE,
             .stride = BOARD_UART_STRIDE,
             .clock_hz = BOARD_UART_HZ,
             .divisor = BOARD_UART_DIVISOR,
             .irq = BOARD_IRQ_UART0},
    .irq = {.pmu = BOARD_IRQ_PMU0, .pmu_stride = BOARD_IRQ_PMU_STRIDE, .scu = BOARD_IRQ_SCU0},
    .powers = BOARD_POWERS,
    .mark = {TILE_MARK_BITS, BOARD_SYS_MARK, BOARD_SYS_MARK_RUN},
};
