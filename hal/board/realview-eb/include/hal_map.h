/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Map of the RealView Emulation Baseboard with the Core Tile for ARM11 MPCore: memory, device
 * addresses, clocks and interrupt IDs. Constants only, usable in assembler files. A wrong constant
 * is corrected here and nowhere else. Another board is another folder of hal/board/ with a header
 * of this name.
 *
 * Sources: HBI-0140 (Emulation Baseboard) and DDI 0360 (ARM11 MPCore) as QEMU's realview-eb-mpcore
 * and Linux (board-eb.h, realview_eb.c, arm-realview-eb.dtsi) have them. "inferred": not confirmed
 * by any primary document; check it against HBI-0140 and HBI-0146 (Core Tile) before trusting a
 * board.
 */
#ifndef HAL_MAP_H
#define HAL_MAP_H

#include "tile_board.h"
#include "tile_machine.h"

/* ---- identity ---------------------------------------------------------------- */
#define BOARD_NAME     "realview-eb"
#define BOARD_PLATFORM TILE_PLATFORM
#define BOARD_CORES    TILE_CORES

/* ---- memory ---------------------------------------------------------------- */
#define BOARD_RAM_BASE  0x00000000 /* plain numbers: linker scripts use them, too */
#define BOARD_RAM_BYTES (TILE_RAM_MIB * 0x100000)
#define BOARD_RAM_FIRST 0x00100000
#define BOARD_VECTORS   0x00000000
#define BOARD_NOR_BANKS TILE_NOR_BANKS
#define BOARD_NOR_BYTES (TILE_NOR_BANK_MIB * 0x100000U) /* per bank: two 16-bit chips */
#define BOARD_NOR0_BASE TILE_NOR_BASE
#define BOARD_NOR1_BASE (TILE_NOR_BASE + BOARD_NOR_BYTES)
/* Registers of the baseboard and of the MPCore, device memory. */
#define BOARD_DEVICES_BASE  0x10000000U
#define BOARD_DEVICES_BYTES 0x10000000U
#define BOARD_DEVICES(MAP)  MAP(BOARD_DEVICES_BASE, BOARD_DEVICES_BYTES)

/* ---- setup that a reset does not do: hal_memory.h --------------------------------
 * Addresses as Linux (mach-realview) has them. SCCTRL bit 8 of the SP810 (DDI 0254)
 * ends the mapping of the flash to address 0; that this board has it so is inferred. */
#define BOARD_SCTL_BASE    0x10001000U
#define BOARD_SCTL_CONTROL (BOARD_SCTL_BASE + 0x00U)
#define BOARD_SCTL_REMAP   (1U << 8)
/* PL340: registers and order of commands from DDI 0331. */
#define BOARD_DMC_BASE   0x10018000U
#define BOARD_DMC_STATUS (BOARD_DMC_BASE + 0x00U)
#define BOARD_DMC_READY  1U /* in bits 1..0 */

/* ---- clocks ---------------------------------------------------------------- */
#define BOARD_CORE_HZ     210000000U /* the tile of the papers */
#define BOARD_UART_HZ     24000000U
#define BOARD_WATCHDOG_HZ 24000000U
/* SYS_24MHZ */
#define BOARD_TIME_COUNTER BOARD_SYS_24MHZ
#define BOARD_TIME_HZ      24000000U
#define BOARD_TIME_BITS    32
#define BOARD_TIME_DOWN    0

/* ---- system registers (HBI-0140) ---------------------------------------------- */
#define BOARD_SYS_BASE     BOARD_DEVICES_BASE
#define BOARD_SYS_ID       (BOARD_SYS_BASE + 0x00U)
#define BOARD_SYS_ID_IS    0x140 /* bits 27..16 */
#define BOARD_SYS_ID_NAME  "Emulation Baseboard"
#define BOARD_SYS_LED      (BOARD_SYS_BASE + 0x08U)
#define BOARD_SYS_LOCK     (BOARD_SYS_BASE + 0x20U)
#define BOARD_SYS_FLAGS    (BOARD_SYS_BASE + 0x30U) /* read; write sets bits */
#define BOARD_SYS_FLAGSCLR (BOARD_SYS_BASE + 0x34U)
#define BOARD_SYS_RESETCTL (BOARD_SYS_BASE + 0x40U)
#define BOARD_RESETS       0x0008U /* value that Linux writes to RESETCTL on an MPCore tile */
#define BOARD_SYS_FLASH    (BOARD_SYS_BASE + 0x4cU) /* bit 0: programming voltage on */
#define BOARD_SYS_24MHZ    (BOARD_SYS_BASE + 0x5cU)
#define BOARD_SYS_PROCID   (BOARD_SYS_BASE + 0x84U)
/* Power ADC. Inferred: the register block leaves these eight words for it. */
#define BOARD_SYS_VOLTAGE(n) (BOARD_SYS_BASE + 0xa0U + 4U * (n))
#define BOARD_POWERS         4
#define BOARD_POWER_CORES_V  0 /* SYS_VOLTAGE0 and 2: the processor's supply */
#define BOARD_POWER_CORES_I  2
/* uV times nA of one step each, in mW. */
#define BOARD_POWER_CORES_MW ((float)TILE_ADC_UV_PER_STEP * (float)TILE_ADC_NA_PER_STEP * 1e-12F)
#define BOARD_LED_RUN        7U /* of SYS_LED: on while the measured program runs */

/* ---- peripherals of the baseboard ------------------------------------------- */
#define BOARD_UART0_BASE   0x10009000U /* PL011 */
#define BOARD_UART_STRIDE  4
#define BOARD_UART_DIVISOR TILE_DIVISOR_64THS
/* SP805. That its reset output resets the board is inferred. */
#define BOARD_WATCHDOG_BASE 0x10010000U

/* ---- private region of the MPCore (DDI 0360, "MPCore Private Memory Region") ---
 * The tile chooses its base: 0x1F000000 on the other revision. */
#define BOARD_MPCORE_BASE 0x10100000U
#define BOARD_SCU_BASE    (BOARD_MPCORE_BASE + 0x0000U)
#define BOARD_GICC_BASE   (BOARD_MPCORE_BASE + 0x0100U) /* of the reading core */
#define BOARD_TIMER_BASE  (BOARD_MPCORE_BASE + 0x0600U) /* of the reading core */
#define BOARD_TIMER2_BASE (BOARD_MPCORE_BASE + 0x0620U) /* its watchdog, used as a timer */
#define BOARD_GICD_BASE   (BOARD_MPCORE_BASE + 0x1000U)
/* Not part of that region: a device of the tile, at the address after it. */
#define BOARD_L220_BASE  (BOARD_MPCORE_BASE + 0x2000U)
#define BOARD_L220_BYTES 0x100000U
#define BOARD_L220_WAYS  8

/* ---- interrupt IDs on the tile's controller ----------------------------------- */
#define BOARD_IRQ_UART0      36U
#define BOARD_IRQ_PMU0       49U /* ..52, by core */
#define BOARD_IRQ_PMU_STRIDE 1
#define BOARD_IRQ_SCU0       53U /* ..60, by counter */
#define BOARD_IRQ_L220       61U

/* Name of the time base in texts of the self-test. */
#define BOARD_TIME_NAME "24 MHz counter"

#endif
