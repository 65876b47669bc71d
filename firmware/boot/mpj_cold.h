/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A defined start after a handshake that may have gone this way or that: cold caches, at a whole
 * multiple of an eighth of a second since mpj_cold_begin(), to the cycle. What a damaged line
 * repeated before then is in no result.
 */
#ifndef MPJ_COLD_H
#define MPJ_COLD_H

/* The moment times are counted from. Core 0, before it hears the host; uses the core's cycle
 * counter until mpj_cold_start(). */
void mpj_cold_begin(void);

/* Core 0, thread context: empties its caches, TLBs and predictor and the L220, waits for the next
 * multiple. At most an eighth of a second. */
void mpj_cold_start(void);

#endif
