/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The controller that chooses the number of threads of parallel regions while the program runs. It
 * measures executions by the profiler's clock and counters and the ADC's samples, asks the policy
 * (policy.h), and keeps its decisions for the end of the run (records ADAPT).
 *
 * Thread context. Regions that run inside an adapted one, or at the same time, are left alone.
 */
#ifndef MPJ_ADAPT_H
#define MPJ_ADAPT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads MPJ_ADAPT and MPJ_ADAPT_PREDICTOR of the environment on the first call, and reports errors
 * in them on stderr. Returns true if there is a policy that adapts. *dynamic, unless NULL: the
 * policy is OMP_DYNAMIC, which the caller has to implement. */
bool mpj_adapt_init(bool *dynamic);

/* Regions that are left alone before mpj_adapt_enter() is asked again, because the program is
 * young: for mpj_adapt_pauses(). */
extern uint32_t mpj_adapt_paused;
/* Returns true if the next region is left alone, in few instructions: 200 cycles more between two
 * regions change how four threads share a bus. */
static inline bool mpj_adapt_pauses(void)
{
    const uint32_t paused = __atomic_load_n(&mpj_adapt_paused, __ATOMIC_RELAXED);

    if (paused != 0)
        __atomic_store_n(&mpj_adapt_paused, paused - 1U, __ATOMIC_RELAXED);
    return paused != 0;
}
/* Begins a region for which the program would get `most` threads, more than one. *count: its
 * threads must call mpj_adapt_part_begin() and mpj_adapt_part_end(). Returns the number of threads,
 * 1 to most; 0: not adapted, mpj_adapt_leave() must not be called. */
unsigned mpj_adapt_enter(uint32_t region, uint32_t caller, unsigned most, bool *count);
/* Completes the previous execution while the region's other threads begin. To be called when they
 * are on their way. */
void mpj_adapt_forked(void);
/* Ends the region. valid: the threads' counts are those of its work. threads: as many as it got. */
void mpj_adapt_leave(unsigned threads, bool valid);

/* Counters of a thread at the beginning of its part. */
struct mpj_adapt_start {
    uint32_t core;
    uint32_t value[3];
};
/* Begins the calling thread's part. */
void mpj_adapt_part_begin(struct mpj_adapt_start *s);
/* Ends the calling thread's part, before it waits for the others at the end. thread: its number in
 * the team. waited: cycles that it already waited for the others. */
void mpj_adapt_part_end(const struct mpj_adapt_start *s, unsigned thread, uint32_t waited);
/* Replaces these two for a region whose threads are not known. cycles: busy cycles of all its
 * threads; event: their counts, in the order of the monitors. Before mpj_adapt_leave(). */
void mpj_adapt_whole(uint32_t cycles, const uint32_t event[2]);
/* Returns the cycle counter of the calling core, to measure waits. */
uint32_t mpj_adapt_clock(void);

#endif
