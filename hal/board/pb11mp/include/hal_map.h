/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Map of the RealView Platform Baseboard for ARM11 MPCore (HBI-0159): the test chip of the RealView
 * EB's tile on a board of its own. Constants only, usable in assembler files.
 *
 * Source: Linux 6.1 (arm-realview-pb11mp.dts, platsmp-realview.c, arm-versatile-reboot.c).
 * "inferred": not confirmed by any document at hand; it has not been run on a board.
 */
#ifndef HAL_MAP_H
#define HAL_MAP_H

#include "tile_machine.h"

/* ---- identity ---------------------------------------------------------------- */
#define BOARD_NAME     "pb11mp"
#define BOARD_PLATFORM "pb11mp"
#define BOARD_CORES    TILE_CORES_MAX

/* ---- memory ----------------------------------------------------------------
 * 512 MB at 0x70000000, its first half also at 0. Programs use that half, at its own address: the
 * MMU's tables make addresses from 0x80000000 on private to each core. */
#define BOARD_RAM_BASE  0x70000000
#define BOARD_RAM_BYTES 0x10000000
#define BOARD_VECTORS   0x70000000
#define BOARD_RAM_FIRST 0x70100000
#define BOARD_NOR_BANKS 2
#define BOARD_NOR_BYTES 0x04000000U /* per bank: two 16-bit chips */
#define BOARD_NOR0_BASE 0x40000000  /* a plain number: linker scripts use it, too */
#define BOARD_NOR1_BASE (BOARD_NOR0_BASE + BOARD_NOR_BYTES)
/* Registers of the baseboard and of the MPCore, device memory. */
#define BOARD_DEVICES_BASE  0x10000000U
#define BOARD_DEVICES_BYTES 0x10000000U
#define BOARD_DEVICES(MAP)  MAP(BOARD_DEVICES_BASE, BOARD_DEVICES_BYTES)

/* ---- setup that a reset does not do: hal_memory.h --------------------------------
 * SP810 as on the EB; that its bit 8 ends the mapping of the flash to 0 is inferred. The memory
 * controller is not described: a Boot Monitor must have run before the loader. */
#define BOARD_SCTL_BASE    0x10001000U
#define BOARD_SCTL_CONTROL (BOARD_SCTL_BASE + 0x00U)
#define BOARD_SCTL_REMAP   (1U << 8)

/* ---- clocks ---------------------------------------------------------------- */
#define BOARD_CORE_HZ     210000000U /* inferred: that of the EB's tile; the firmware measures */
#define BOARD_UART_HZ     24000000U
#define BOARD_WATCHDOG_HZ 24000000U
/* SYS_24MHZ */
#define BOARD_TIME_COUNTER BOARD_SYS_24MHZ
#define BOARD_TIME_HZ      24000000U
#define BOARD_TIME_BITS    32
#define BOARD_TIME_DOWN    0

/* ---- system registers: LED, FLAGS and the base are Linux's, the others as on the EB (inferred) */
#define BOARD_SYS_BASE     BOARD_DEVICES_BASE
#define BOARD_SYS_ID       (BOARD_SYS_BASE + 0x00U)
#define BOARD_SYS_ID_IS    0x159 /* bits 27..16 */
#define BOARD_SYS_ID_NAME  "Platform Baseboard"
#define BOARD_SYS_LED      (BOARD_SYS_BASE + 0x08U)
#define BOARD_SYS_LOCK     (BOARD_SYS_BASE + 0x20U)
#define BOARD_SYS_FLAGS    (BOARD_SYS_BASE + 0x30U) /* read; write sets bits */
#define BOARD_SYS_FLAGSCLR (BOARD_SYS_BASE + 0x34U)
#define BOARD_SYS_RESETCTL (BOARD_SYS_BASE + 0x40U)
#define BOARD_SYS_FLASH    (BOARD_SYS_BASE + 0x4cU) /* bit 0: programming voltage on */
#define BOARD_SYS_24MHZ    (BOARD_SYS_BASE + 0x5cU)
#define BOARD_SYS_PROCID   (BOARD_SYS_BASE + 0x84U)
#define BOARD_RESETS       0x0000U, 0x0004U /* values that Linux writes to RESETCTL */
#define BOARD_POWERS       0
#define BOARD_LED_RUN      7U /* of SYS_LED: on while the measured program runs */

/* ---- peripherals of the baseboard ------------------------------------------- */
#define BOARD_UART0_BASE   0x10009000U /* PL011 */
#define BOARD_UART_STRIDE  4
#define BOARD_UART_DIVISOR TILE_DIVISOR_64THS
/* SP805. That its reset output resets the board is inferred. */
#define BOARD_WATCHDOG_BASE 0x10010000U

/* ---- private region of the MPCore -------------------------------------------- */
#define BOARD_MPCORE_BASE 0x1f000000U
#define BOARD_SCU_BASE    (BOARD_MPCORE_BASE + 0x0000U)
#define BOARD_GICC_BASE   (BOARD_MPCORE_BASE + 0x0100U) /* of the reading core */
#define BOARD_TIMER_BASE  (BOARD_MPCORE_BASE + 0x0600U) /* of the reading core */
#define BOARD_TIMER2_BASE (BOARD_MPCORE_BASE + 0x0620U) /* its watchdog, used as a timer */
#define BOARD_GICD_BASE   (BOARD_MPCORE_BASE + 0x1000U)
/* Linux never syncs this controller: that can hang it (`arm,outer-sync-disable`). */
#define BOARD_L220_BASE  (BOARD_MPCORE_BASE + 0x2000U)
#define BOARD_L220_BYTES 0x100000U
#define BOARD_L220_WAYS  8

/* ---- interrupt IDs on the chip's controller ------------------------------------- */
#define BOARD_IRQ_UART0      36U
#define BOARD_IRQ_PMU0       49U /* ..52, by core */
#define BOARD_IRQ_PMU_STRIDE 1
#define BOARD_IRQ_SCU0       53U /* ..60, by counter; inferred: as on the EB's tile */
#define BOARD_IRQ_L220       61U

/* Name of the time base in texts of the self-test. */
#define BOARD_TIME_NAME "24 MHz counter"

#endif
