/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Map of the OX820 (PLX NAS7820), the system on a chip of the Pogoplug series 3 and of many NAS
 * boxes: two MP11 cores, no level-2 cache, no power meter. Constants only, usable in assembler
 * files.
 *
 * Sources: Linux 6.1 (ox820.dtsi, ox820-cloudengines-pogoplug-series-3.dts, mach-oxnas/platsmp.c,
 * timer-oxnas-rps.c, oxnas-restart.c), unless noted. "public": other published sources for this
 * chip, U-Boot's and OpenWrt's. "inferred": not confirmed by any document; it has not been run on a
 * board.
 */
#ifndef HAL_MAP_H
#define HAL_MAP_H

#include "tile_machine.h"

/* ---- identity ---------------------------------------------------------------- */
#define BOARD_NAME     "ox820"
#define BOARD_PLATFORM "ox820"
#define BOARD_CORES    2

/* ---- memory ----------------------------------------------------------------
 * 128 MB on the Pogoplug, up to 512 on others. U-Boot runs at 0x64000000 with its stack below
 * 0x65000000 (public): an image of up to 63 MB fits below it, and may use the rest once it runs. */
#define BOARD_RAM_BASE  0x60000000
#define BOARD_RAM_BYTES 0x08000000
#define BOARD_VECTORS   0x60000000
#define BOARD_RAM_FIRST 0x60100000
#define BOARD_NOR_BANKS 0
/* Peripherals, and the private region of the MPCore. */
#define BOARD_DEVICES_BASE  0x44000000U
#define BOARD_DEVICES_BYTES 0x04000000U
#define BOARD_DEVICES(MAP)  MAP(BOARD_DEVICES_BASE, BOARD_DEVICES_BYTES)

/* ---- clocks ----------------------------------------------------------------
 * The cores run at PLLA; the private timers run at `armclk`, half of PLLA. That the cores run at
 * twice armclk is inferred. Boot loaders set 750 to 850 MHz: the firmware measures the clock. */
#define BOARD_CORE_HZ     850000000U
#define BOARD_UART_HZ     6250000U /* `sysclk`: the oscillator's 25 MHz divided by 4 */
#define BOARD_WATCHDOG_HZ 0

/* ---- system controller --------------------------------------------------------- */
#define BOARD_SYS_BASE     0x44e00000U
#define BOARD_SYS_CLK_SET  (BOARD_SYS_BASE + 0x2cU)
#define BOARD_SYS_RST_SET  (BOARD_SYS_BASE + 0x34U)
#define BOARD_SYS_RST_CLR  (BOARD_SYS_BASE + 0x38U)
#define BOARD_SYS_PEN      (BOARD_SYS_BASE + 0xc4U) /* entry address for the boot ROM's pen */
#define BOARD_SYS_PEN_CORE (BOARD_SYS_BASE + 0xc8U) /* number of the core to start */
/* Scratch word 2 (public): drives nothing, so it serves to show the emulator that the program runs.
 * That no boot ROM reads it after a reset is inferred. */
#define BOARD_SYS_MARK     (BOARD_SYS_BASE + 0xccU)
#define BOARD_SYS_MARK_RUN 0x1U
/* Blocks of RST_SET and RST_CLR. */
#define BOARD_RST_SCU   (1U << 0)
#define BOARD_RST_ARM0  (1U << 2)
#define BOARD_RST_ARM1  (1U << 3)
#define BOARD_RST_UART1 (1U << 17)
#define BOARD_POWERS    0

/* ---- RPS: two timers of 24 bits ---------------------------------------------------
 * A timer counts down to 0 and starts again from its load value; that this takes load + 1 ticks is
 * inferred (Linux takes the difference of readings modulo 2^24). */
#define BOARD_RPS_TIMER(n)   (0x44400200U + 0x20U * (n))
#define BOARD_RPS_LOAD(n)    (BOARD_RPS_TIMER(n) + 0x0U)
#define BOARD_RPS_VALUE(n)   (BOARD_RPS_TIMER(n) + 0x4U)
#define BOARD_RPS_CONTROL(n) (BOARD_RPS_TIMER(n) + 0x8U)
#define BOARD_RPS_CLEAR(n)   (BOARD_RPS_TIMER(n) + 0xcU)
#define BOARD_RPS_ENABLE     0x80U
#define BOARD_RPS_PERIODIC   0x40U
#define BOARD_RPS_BY_256     0x08U /* prescaler */
/* The time base is timer 0 at full rate; timer 1 at a 256th counts its periods (time.c). */
#define BOARD_TIME_COUNTER BOARD_RPS_VALUE(0U)
#define BOARD_TIME_HZ      6250000U
#define BOARD_TIME_BITS    24
#define BOARD_TIME_DOWN    1

/* ---- UART: 16550A with three more bits of the divisor (public) --------------------- */
#define BOARD_UART0_BASE   0x44200000U
#define BOARD_UART_STRIDE  1
#define BOARD_UART_DIVISOR TILE_DIVISOR_8THS

/* ---- private region of the MPCore ------------------------------------------------- */
#define BOARD_MPCORE_BASE 0x47000000U
#define BOARD_SCU_BASE    (BOARD_MPCORE_BASE + 0x0000U)
#define BOARD_GICC_BASE   (BOARD_MPCORE_BASE + 0x0100U) /* of the reading core */
#define BOARD_GICC_OF(n)  (BOARD_MPCORE_BASE + 0x0200U + 0x100U * (n))
#define BOARD_TIMER_BASE  (BOARD_MPCORE_BASE + 0x0600U) /* of the reading core */
#define BOARD_TIMER2_BASE (BOARD_MPCORE_BASE + 0x0620U) /* its watchdog, used as a timer */
#define BOARD_GICD_BASE   (BOARD_MPCORE_BASE + 0x1000U)
#define BOARD_L220_BYTES  0

/* ---- interrupt IDs on its controller: 32 + SPI ------------------------------------- */
#define BOARD_IRQ_UART0 55U
/* No public document describes how the monitors' interrupt lines are connected. */
#define BOARD_IRQ_PMU0       0U
#define BOARD_IRQ_PMU_STRIDE 0
#define BOARD_IRQ_SCU0       0U

#endif
