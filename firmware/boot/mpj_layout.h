/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers shared by the start code, the linker scripts (preprocessed) and C. */
#ifndef MPJ_LAYOUT_H
#define MPJ_LAYOUT_H

#include "hal_map.h"

#define MPJ_FIRMWARE_ABI 1

/* Stacks of one core, from the top of its 64 KB down: Supervisor (interrupts and kernel) 32 KB,
 * abort 8 KB, undefined 4 KB, FIQ 4 KB, System (idle, work for other cores) 16 KB. */
#define MPJ_CORE_STACK_SHIFT 16
#define MPJ_STACK_ABT        0x8000
#define MPJ_STACK_UND        0xa000
#define MPJ_STACK_FIQ        0xb000
#define MPJ_STACK_IDLE       0xc000

/* RAM from the top: core stacks, an unmapped megabyte, main's stack, an unmapped megabyte, heap;
 * the image. RAM below the image, to which NULL points on some boards, is not mapped. */
#ifdef __ASSEMBLER__
#define MPJ_RAM_END (BOARD_RAM_BASE + BOARD_RAM_BYTES)
#else
#define MPJ_RAM_END ((uint32_t)BOARD_RAM_BASE + (uint32_t)BOARD_RAM_BYTES)
#endif
#define MPJ_CORE_STACKS     (MPJ_RAM_END - 0x00100000)
#define MPJ_MAIN_STACK_TOP  (MPJ_RAM_END - 0x00200000)
#define MPJ_MAIN_STACK_BASE (MPJ_RAM_END - 0x00a00000)
#define MPJ_HEAP_END        (MPJ_RAM_END - 0x00b00000)
#define MPJ_RAM_FIRST       BOARD_RAM_FIRST

/* Address below the image of a word that the resident loader leaves for the program
 * (mpj_boot_word.h). */
#define MPJ_BOOT_WORD    (BOARD_VECTORS + 0x7ef0)
#define MPJ_BOOT_GUARDED 0x474f4455 /* the watchdog runs: feed it */

#define MPJ_GUARD_BYTES  0x10000 /* granule of guard borders */

/* A page that is private to each core; the linker scripts put newlib's _impure_ptr there. */
#define MPJ_CORE_PAGE     0xf0000000

#define MPJ_TRAP_UNDEF    1
#define MPJ_TRAP_PREFETCH 3
#define MPJ_TRAP_DATA     4
#define MPJ_TRAP_FIQ      6

#endif
