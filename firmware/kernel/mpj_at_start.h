/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_AT_START_H
#define MPJ_AT_START_H

/* Calls a function void fn(void) of the runtime on core 0 before the run begins, in no known order:
 * it must neither print nor wait. Constructors are the program's: they belong to the run. */
#define MPJ_AT_START(fn)                                                                           \
    __attribute__((section(".mpj_start"), used)) static void (*const mpj_start_##fn)(void) = fn

#endif
