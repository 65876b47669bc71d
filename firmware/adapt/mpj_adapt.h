/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The controller that chooses the number of threads of parallel regions while the program runs. It
 * measures executions by the profiler's clock and counters and the ADC's samples, asks the policy
 * (policy.h), and keeps what it did for the end of the run (records ADAPT).
 *
 * Thread context. Regions that run inside or beside an adapted one are left alone.
 */
#ifndef MPJ_ADAPT_H
#define MPJ_ADAPT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads MPJ_ADAPT and MPJ_ADAPT_PREDICTOR of the environment, the first time; what is wrong with
 * them is said on stderr. Whether there is a policy that adapts. *dynamic: it is OMP_DYNAMIC, which
 * is the caller's business. NULL: not wanted. */
bool mpj_adapt_init(bool *dynamic);

/* A region begins for which the program would get `most` threads, more than one. *count: its
 * threads are to call the following two. Returns the number of threads, 1 to most; 0: not adapted,
 * mpj_adapt_leave() is not called. */
unsigned mpj_adapt_enter(uint32_t region, uint32_t caller, unsigned most, bool *count);
/* Its other threads are on their way. While they begin, the controller does what is left to do for
 * the execution before this one. */
void mpj_adapt_forked(void);
/* It has ended. valid: the threads' counts are those of its work. threads: as many as it got. */
void mpj_adapt_leave(unsigned threads, bool valid);

/* What a thread of the region notes at its beginning. */
struct mpj_adapt_start {
    uint32_t core;
    uint32_t value[3];
};
/* The thread begins its part. */
void mpj_adapt_part_begin(struct mpj_adapt_start *s);
/* It has done its part and has not begun to wait for the others at the end. thread: its number in
 * the team. waited: cycles that it waited for the others before. */
void mpj_adapt_part_end(const struct mpj_adapt_start *s, unsigned thread, uint32_t waited);
/* Instead of those two, for a region of which the threads are not known: cycles that they were at
 * work in it together, and what they counted, in the order of the monitors. Before
 * mpj_adapt_leave(). */
void mpj_adapt_whole(uint32_t cycles, const uint32_t event[2]);
/* Cycles of the calling core, to tell how long a wait was. */
uint32_t mpj_adapt_clock(void);

#endif
