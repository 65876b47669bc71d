/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many cores run program threads, and for how long: exact, without anything on a thread's way
 * that cores share. Each core keeps a log of when it began and ceased to be at work; the logs are
 * merged when a core has time.
 *
 * All functions: IRQ masked. There is one lock, which nothing else is taken under.
 */
#ifndef MPJ_DEGREE_H
#define MPJ_DEGREE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_prof.h"

/* No core is at work, and no time has passed. */
void mpj_degree_reset(void);
/* Time counts from `now` (ticks) on. Nothing else is being called. */
void mpj_degree_begin(uint64_t now);
/* The calling core is at work from `now` on, or no more. Not before its last such moment. */
void mpj_degree_edge(unsigned core, bool busy, uint64_t now);
/* Merges a few edges, if many wait for it; now: the time of the calling core. For a thread that has
 * nothing to do: call repeatedly, polling in between for what it waits for. */
void mpj_degree_catch_up(unsigned core, uint64_t now);
/* The time ends at `end`, or at the last edge. ticks[k]: with k cores at work. Nothing else is
 * being called. Returns the end. */
uint64_t mpj_degree_end(uint64_t end, uint64_t ticks[MPJ_CORES_MAX + 1U]);

#endif
