/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hal_machine.h"

#include "hal_map.h"
#include "tile_board.h"

#define ADC_BITS  12U
#define L220_LINE 32U

const struct tile_machine hal_machine = {
    .name = BOARD_NAME,
    .platform = BOARD_PLATFORM,
    .title = "RealView EB with the Core Tile for ARM11 MPCore",
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
    /* In the order of SYS_VOLTAGE0..3. */
    .power = {{TILE_QUANTITY_VOLTAGE, TILE_ADC_UV_PER_STEP * 1000U, ADC_BITS, "cpu_v", "processor"},
              {TILE_QUANTITY_VOLTAGE, TILE_ADC_UV_PER_STEP * 1000U, ADC_BITS, "pll_v", "pll"},
              {TILE_QUANTITY_CURRENT, TILE_ADC_NA_PER_STEP, ADC_BITS, "cpu_i", "processor"},
              {TILE_QUANTITY_CURRENT, TILE_ADC_PLL_NA_PER_STEP, ADC_BITS, "pll_i", "pll"}},
    .l2 = {TILE_L2_L220, BOARD_L220_BASE, BOARD_L220_BYTES, BOARD_L220_WAYS, L220_LINE},
    .nor = {BOARD_NOR0_BASE, BOARD_NOR_BANKS, BOARD_NOR_BYTES, .chips = 2, .chip_bits = 16},
    .watchdog = {TILE_WATCHDOG_SP805, BOARD_WATCHDOG_BASE, BOARD_WATCHDOG_HZ},
    .mark = {TILE_MARK_BITS, BOARD_SYS_LED, 1U << BOARD_LED_RUN},
};
