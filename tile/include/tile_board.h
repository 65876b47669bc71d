/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measured board: RealView Emulation Baseboard with the Core Tile for ARM11 MPCore. Facts that the
 * firmware, the emulator, the self-test and the reports have to agree on.
 *
 * Freestanding, and usable in assembler files.
 */
#ifndef TILE_BOARD_H
#define TILE_BOARD_H

#define TILE_NAME     "ARM11 MPCore tile"
#define TILE_PLATFORM "realview-eb-mpcore" /* QEMU's machine; platform of a board in lists */

#define TILE_CORES    4
#define TILE_RAM_MIB  256

/* NOR flash: one range of banks, each of two 16-bit chips side by side. */
#define TILE_NOR_BASE     0x40000000
#define TILE_NOR_BANKS    2
#define TILE_NOR_BANK_MIB 64

/* Power ADC, mProfiler: 12-bit codes; V = code * 610 uV; I = code * 610 uV over a gain of 2.5
 * (processor) or 50 (PLL). */
#define TILE_ADC_UV_PER_STEP     610
#define TILE_ADC_NA_PER_STEP     244000 /* processor */
#define TILE_ADC_PLL_NA_PER_STEP 12200

/* Power of a waiting core relative to that of a running one, from mProfiler's tables: 539 mW is the
 * middle of table 3, where one to four idle cores are not in WFI (537 to 542 mW; the line through
 * them, which is the emulator's, has 535 mW where all cores are in it). 576 mW is 37 mW more, as is
 * table 1, a decoder on four cores (579 mW), than table 3's four (542 mW). */
#define TILE_WAITING_WEIGHT (539.0 / 576.0)

#define TILE_TEXT_(x)       #x
/* Makes a string literal of one of the numbers above. */
#define TILE_TEXT(x) TILE_TEXT_(x)

#endif
