/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Degree of parallelism: how many cores run program threads, and for how long. Exact, and no data
 * that cores share is on a thread's critical path: each core keeps a log of when it became busy and
 * idle; the logs are merged when a core has time.
 *
 * All functions: IRQ masked. There is one lock; no other lock is taken while it is held.
 */
#ifndef MPJ_DEGREE_H
#define MPJ_DEGREE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_prof.h"

/* Resets the state: no core is busy, and no time has passed. */
void mpj_degree_reset(void);
/* Begins counting at `now` (ticks). No other function is running. */
void mpj_degree_begin(uint64_t now);
/* Notes that the calling core becomes busy or idle at `now`, which is not before its previous
 * edge. */
void mpj_degree_edge(unsigned core, bool busy, uint64_t now);
/* Merges a few edges, if many wait for that; now: the time of the calling core. For a thread that
 * has nothing to do: call repeatedly, polling in between for the event it waits for. */
void mpj_degree_catch_up(unsigned core, uint64_t now);
/* Ends counting at `end`, or at the last edge. ticks[k]: time with k busy cores. No other function
 * is running. Returns the end. */
uint64_t mpj_degree_end(uint64_t end, uint64_t ticks[MPJ_CORES_MAX + 1U]);

#endif
