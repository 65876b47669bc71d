/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hot code: the part of the profiler that runs in the middle of the measured program. The linker
 * script of images puts it into one range of addresses, which mpj_prof_warm() brings into the L220
 * before the run, so that no hook has to come from memory. tests/lint/hot.py checks that it calls
 * nothing outside.
 */
#ifndef HAL_HOT_H
#define HAL_HOT_H

/* Marks the definition of a hot function. One section per object, so that an image has no hot code
 * of objects that it does not link. No effect on a host (unit tests). */
#ifdef __arm__
#define HAL_HOT __attribute__((section(".text.mpj_hot")))
#else
#define HAL_HOT
#endif

#endif
