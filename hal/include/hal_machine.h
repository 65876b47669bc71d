/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exports of a board: its description, and the constants that code compiled for it folds.
 *
 * A board is a folder hal/board/NAME/. The firmware is compiled once per board, with the include
 * path of that folder, so a fact that a hot path needs is a constant of its hal_map.h, and
 * everything else reads `hal_machine`. machine.c of the folder fills hal_machine from the same
 * constants: no fact is written twice. The firmware sends it to the host after HELLO (record
 * MACHINE), which knows nothing else about the board.
 *
 * Constants that every board's hal_map.h defines, usable in assembler files if they are numbers:
 *
 *     BOARD_NAME, BOARD_PLATFORM  strings: members `name` and `platform` of tile_machine
 *     BOARD_CORES                 1..TILE_CORES_MAX
 *     BOARD_CORE_HZ               nominal clock of the cores
 *     BOARD_RAM_BASE, _RAM_BYTES  the range that holds image, heap and stacks; multiples of 1 MB
 *     BOARD_RAM_FIRST             start of the image, a multiple of 1 MB: above what a boot loader
 *                                 needs until it is over, and above BOARD_VECTORS. Plain number
 *     BOARD_VECTORS               address in RAM below BOARD_RAM_FIRST, a multiple of 8 KB: the
 *                                 exception vectors, 64 bytes, and the loader's word at +0x7ef0
 *     BOARD_DEVICES(MAP)          MAP(BASE, BYTES) for each range of device registers, multiples
 *                                 of 1 MB below 0x80000000 that do not overlap the RAM
 *     BOARD_MPCORE_BASE           private region, and in it BOARD_SCU_BASE, BOARD_GICC_BASE,
 *                                 BOARD_GICD_BASE, BOARD_TIMER_BASE, BOARD_TIMER2_BASE
 *     BOARD_TIME_COUNTER          time base: address of the counter; BOARD_TIME_HZ ticks a second,
 *                                 BOARD_TIME_BITS wide (a quarter of its period is 1/4 s at
 *                                 least), BOARD_TIME_DOWN 1 if it counts down; optional
 *                                 BOARD_TIME_NAME, a string for the self-test. If it has to be
 *                                 started: BOARD_TIME_ON(SET), SET(REGISTER, VALUE); for each write
 *     BOARD_UART0_BASE            UART; BOARD_UART_STRIDE 1 or 4, BOARD_UART_HZ its clock,
 *                                 BOARD_UART_DIVISOR an enum tile_divisor_rule, BOARD_IRQ_UART0
 *     BOARD_IRQ_PMU0              with BOARD_IRQ_PMU_STRIDE 1 from core to core, or 0; 0: none
 *     BOARD_IRQ_SCU0              of the SCU's first counter; 0: none
 *     BOARD_POWERS                power channels, 0: none
 *     BOARD_L220_BYTES            capacity, 0: no L220. If there is one BOARD_L220_BASE,
 *                                 BOARD_L220_WAYS, BOARD_IRQ_L220 (0: none)
 *     BOARD_NOR_BANKS             0: no NOR flash. If there is BOARD_NOR0_BASE, and BOARD_NOR_BYTES
 *                                 of a bank
 *     BOARD_WATCHDOG_HZ           0: no watchdog. If there is one BOARD_WATCHDOG_BASE
 *
 * Drivers: each line of the folder's devices.txt names a file of hal/device/ that the board uses
 * (uart_pl011, uart_16550, l2_none, power_none ...), a .c file of the folder is the board's own
 * driver. Each header of hal/include/ needs exactly one.
 */
#ifndef HAL_MACHINE_H
#define HAL_MACHINE_H

#include "tile_machine.h"

/* Description of the board for which this was compiled. Constant, valid from the first instruction
 * on. */
extern const struct tile_machine hal_machine;

#endif
