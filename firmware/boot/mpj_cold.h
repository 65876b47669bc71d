/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defined start of the measured program, independent of what ran before: cold caches, all cores out
 * of WFI, at a whole multiple of an eighth of a second since mpj_cold_begin(). Neither the length
 * of START, nor the events it names, nor frames repeated on a damaged line affect a result.
 */
#ifndef MPJ_COLD_H
#define MPJ_COLD_H

#include <stdbool.h>

/* Sets the moment from which times are counted. Core 0, before the first frame of the host; uses
 * its private timer until mpj_cold_start(). */
void mpj_cold_begin(void);

/* Empties caches, TLBs and predictor of the calling core. */
void mpj_cold_core(void);

/* Empties the caches of core 0 and the L220 and sleeps until the next multiple. Core 0, thread
 * context, when the others have called mpj_cold_core() and wait for an interrupt. Takes at most an
 * eighth of a second, and another one if the multiple is too near. line_interrupts: the UART's
 * interrupts are enabled; they are held back meanwhile. */
void mpj_cold_start(bool line_interrupts);

#endif
