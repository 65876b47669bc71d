/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hot code: what the profile runs in the middle of the measured program. The linker script of
 * images puts it into one range of addresses, which mpj_prof_warm() brings into the L220 before the
 * run, so that no hook has to come from memory. tests/lint/hot.py checks that it calls nothing
 * outside.
 */
#ifndef HAL_HOT_H
#define HAL_HOT_H

/* On the definition of a function. One section per object: hot code of an object that an image does
 * not link takes no room in it. On a host (unit tests) it means nothing. */
#ifdef __arm__
#define HAL_HOT __attribute__((section(".text.mpj_hot")))
#else
#define HAL_HOT
#endif

#endif
