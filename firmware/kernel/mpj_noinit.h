/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Large tables that need not be zeroed. */
#ifndef MPJ_NOINIT_H
#define MPJ_NOINIT_H

/* On the definition of an object that nothing reads before it is written: not part of .bss. On a
 * host (unit tests) it means nothing. */
#ifdef __arm__
#define MPJ_NOINIT __attribute__((section(".noinit")))
#else
#define MPJ_NOINIT
#endif

#endif
