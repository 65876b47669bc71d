/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers shared by the start code, the linker scripts (preprocessed) and C. */
#ifndef MPJ_LAYOUT_H
#define MPJ_LAYOUT_H

#define MPJ_FIRMWARE_ABI 1

/* Stacks of one core, from the top of its 64 KB down: Supervisor (interrupts and kernel) 32 KB,
 * abort 8 KB, undefined 4 KB, FIQ 4 KB, System (idle, work for other cores) 16 KB. */
#define MPJ_CORE_STACK_SHIFT 16
#define MPJ_STACK_ABT        0x8000
#define MPJ_STACK_UND        0xa000
#define MPJ_STACK_FIQ        0xb000
#define MPJ_STACK_IDLE       0xc000

/* RAM from the top: core stacks, an unmapped megabyte, main's stack, an unmapped megabyte, heap;
 * the image. The first megabyte, where NULL points to, is not mapped. */
#define MPJ_RAM_END         0x10000000
#define MPJ_CORE_STACKS     0x0ff00000
#define MPJ_MAIN_STACK_TOP  0x0fe00000
#define MPJ_MAIN_STACK_BASE 0x0f600000
#define MPJ_HEAP_END        0x0f500000
#define MPJ_RAM_FIRST       0x00100000

/* Below: a word that the resident loader leaves for the program (mpj_boot_word.h). */
#define MPJ_BOOT_WORD    0x00007ef0
#define MPJ_BOOT_GUARDED 0x474f4455 /* the watchdog runs: feed it */

#define MPJ_GUARD_BYTES  0x10000 /* granule of guard borders */

/* A page that is each core's own; the linker scripts put newlib's _impure_ptr there. */
#define MPJ_CORE_PAGE     0xf0000000

#define MPJ_TRAP_UNDEF    1
#define MPJ_TRAP_PREFETCH 3
#define MPJ_TRAP_DATA     4
#define MPJ_TRAP_FIQ      6

#endif
