/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of all threads of the program so far. */
#include <string.h>

#include "mpj_lock.h"
#include "mpj_prof_thread.h"
#include "thread_int.h"

#define FIRST 1U /* main() has record 0 and ends with the program */

/* Counts of threads that have ended, which no longer change: the sum of all threads before `upto`,
 * each of which has ended. */
static struct {
    uint32_t upto;
    struct mpj_prof_counts sum;
} ended = {.upto = FIRST};

void mpj_prof_counts_again(void)
{
    memset(&ended, 0, sizeof(ended));
    ended.upto = FIRST;
}

static void add(struct mpj_prof_counts *c, const struct mpj_prof_rec *r, uint64_t now)
{
    c->ticks += r->ran;
    if (r->state == MPJ_PROF_RUN && now > r->since)
        c->ticks += now - r->since;
    for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
        c->event[k] += r->sum.event[k];
}

bool mpj_prof_program_counts(struct mpj_prof_counts *c)
{
    const struct mpj_prof_rec *const rec = mpj_prof_memory.rec;
    const hal_irq_state s = mpj_sched_lock();
    const unsigned own = hal_cpu_id();
    const uint64_t now = mpj_prof_ticks(own);
    bool known = mpj_prof_threads.on && mpj_prof_threads.lost == 0 && mpj_prof_threads.pairs == 1U;

    /* A core's counts are added to its thread when that leaves the core. */
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        known = known && (core == own || mpj_prof_threads.core[core].cur == NULL);
    if (known) {
        mpj_prof_threads_rest();
        for (; ended.upto < mpj_prof_threads.used && rec[ended.upto].state == MPJ_PROF_ENDED;
             ended.upto++)
            add(&ended.sum, &rec[ended.upto], now);
        *c = ended.sum;
        add(c, &rec[0], now);
        for (uint32_t i = ended.upto; i < mpj_prof_threads.used; i++)
            add(c, &rec[i], now);
    }
    mpj_sched_unlock(s);
    return known;
}
