/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RealView Emulation Baseboard with the Core Tile for ARM11 MPCore: every
 * address, interrupt number and board constant of the hardware layer. A wrong
 * one is corrected here and nowhere else.
 *
 * Sources: QEMU's realview-eb-mpcore, Linux board-eb.h and realview_eb.c.
 * Marked "inferred": not confirmed by a primary document; check HBI-0140 and
 * HBI-0146 before trusting a board.
 */
#ifndef HAL_BOARD_H
#define HAL_BOARD_H

/* ---- memory ---------------------------------------------------------------- */
#define BOARD_RAM_BASE  0x00000000U
#define BOARD_RAM_BYTES 0x10000000U
#define BOARD_NOR0_BASE 0x40000000U
#define BOARD_NOR1_BASE 0x44000000U
#define BOARD_NOR_BYTES 0x04000000U /* per bank: two 32 MiB chips */

/* ---- clocks ---------------------------------------------------------------- */
#define BOARD_CORE_HZ    210000000U /* the tile of the papers */
#define BOARD_UART_HZ    24000000U
#define BOARD_COUNTER_HZ 24000000U
#define BOARD_DOG_HZ     24000000U /* Linux, arm-realview-eb.dtsi */

/* ---- system registers ------------------------------------------------------- */
#define BOARD_SYS_BASE      0x10000000U
#define BOARD_SYS_ID        (BOARD_SYS_BASE + 0x00U)
#define BOARD_SYS_LED       (BOARD_SYS_BASE + 0x08U)
#define BOARD_SYS_LOCK      (BOARD_SYS_BASE + 0x20U)
#define BOARD_SYS_FLAGS     (BOARD_SYS_BASE + 0x30U) /* read; write sets bits */
#define BOARD_SYS_FLAGSCLR  (BOARD_SYS_BASE + 0x34U)
#define BOARD_SYS_RESETCTL  (BOARD_SYS_BASE + 0x40U)
#define BOARD_SYS_FLASH     (BOARD_SYS_BASE + 0x4cU) /* bit 0: programming voltage on */
#define BOARD_SYS_24MHZ     (BOARD_SYS_BASE + 0x5cU)
#define BOARD_SYS_PROCID    (BOARD_SYS_BASE + 0x84U)
#define BOARD_SYS_LOCK_KEY  0xa05fU
#define BOARD_SYS_RESET_REQ 0x0008U /* what Linux writes on the MPCore tile */
/* Power ADC. Inferred: the register block leaves these eight words for it. */
#define BOARD_SYS_VOLTAGE(n) (BOARD_SYS_BASE + 0xa0U + 4U * (n))

/* ---- peripherals ------------------------------------------------------------ */
#define BOARD_UART0_BASE 0x10009000U
/* SP805. That its reset output resets the board is inferred. */
#define BOARD_DOG_BASE 0x10010000U

/* ---- private region of the MPCore (0x1F000000 on the other tile revision) ----- */
#define BOARD_MPCORE_BASE   0x10100000U
#define BOARD_SCU_BASE      (BOARD_MPCORE_BASE + 0x0000U)
#define BOARD_GICC_BASE     (BOARD_MPCORE_BASE + 0x0100U) /* of the reading core */
#define BOARD_TIMER_BASE    (BOARD_MPCORE_BASE + 0x0600U) /* of the reading core */
#define BOARD_WATCHDOG_BASE (BOARD_MPCORE_BASE + 0x0620U)
#define BOARD_GICD_BASE     (BOARD_MPCORE_BASE + 0x1000U)
#define BOARD_L220_BASE     (BOARD_MPCORE_BASE + 0x2000U)

/* ---- interrupt IDs on the tile's controller ----------------------------------- */
#define BOARD_IRQ_UART0 36U
#define BOARD_IRQ_PMU0  49U /* ..52, by core */
#define BOARD_IRQ_SCU0  53U /* ..60, by counter */
#define BOARD_IRQ_L220  61U

/* ---- L220 ---------------------------------------------------------------------- */
#define BOARD_L220_WAYS 8U
/* 8 ways of 128 KB, event bus and parity on, shareable attribute ignored (as Linux sets it
 * for this tile); the bits outside the mask are the reset value's. */
#define BOARD_L220_AUX      0x00790000U
#define BOARD_L220_AUX_KEEP 0xfe000fffU

#endif
