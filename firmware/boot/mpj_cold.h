/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A defined start of the measured program, whatever was before: cold caches, all cores out of WFI,
 * at a whole multiple of an eighth of a second since mpj_cold_begin(). The length of START, the
 * events it names, frames repeated on a damaged line: none of them affects a result.
 */
#ifndef MPJ_COLD_H
#define MPJ_COLD_H

#include <stdbool.h>

/* The moment times are counted from. Core 0, before the first frame of the host; uses its private
 * timer until mpj_cold_start(). */
void mpj_cold_begin(void);

/* Empties caches, TLBs and predictor of the calling core. */
void mpj_cold_core(void);

/* Core 0, thread context, when the others have done the same and wait for an interrupt: does it,
 * empties the L220 and sleeps until the next multiple. At most an eighth of a second, and another
 * when it is too near. line_interrupts: the UART's are on, and held back meanwhile. */
void mpj_cold_start(bool line_interrupts);

#endif
