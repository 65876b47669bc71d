/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reconstructs the activity of each core in the first pass of a run whose events took several.
 *
 * Threads run on other cores in each pass, so that a core's counts of different passes are
 * inconsistent; a thread's are consistent. A core's counts of the first pass are used unchanged.
 * For the other events, each thread's total is distributed over its cores in the first pass: counts
 * caused by linefills in proportion to its linefills, all others by time, corrected by the error of
 * the same estimate for the events that the first pass did count, as far as the program consists of
 * them. Not applied where all passes are equal, to the cycle, as they are in the emulator.
 */
#include <math.h>

#include "model_int.h"

struct placement {
    const struct mpj_dataset_program *p;
    double rest[MPJ_CORES_MAX];       /* shares of activity outside of threads */
    double correction[MPJ_CORES_MAX]; /* of an estimate by time */
    double work;                      /* events that the correction is based on, on all cores */
};

/* Limit of instructions per additional data access. Programs have two to four; in one with hardly
 * any accesses, more of them mean more spinning, not more of all its activity. */
#define PER_ACCESS 4.0

/* Returns the linefills of a thread on a core, or all of them; NAN: unknown. */
static double fills(const struct mpj_dataset_part *part, unsigned core)
{
    return part->ev[mpj_fill_event(0, core)] + part->ev[mpj_fill_event(1, core)];
}

static double share(const struct mpj_dataset_part *part, unsigned core, bool by_fills)
{
    double sum = 0;

    for (unsigned k = 0; by_fills && k < MPJ_CORES_MAX; k++)
        sum += fills(part, k);
    return sum > 0 ? fills(part, core) / sum : part->core_share[core];
}

/* Returns the count of an event on all cores; of an event that was counted. */
static double total(const struct mpj_dataset_program *p, int event)
{
    double sum = 0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        sum += p->core[k].present ? p->core[k].ev[event] : 0;
    return sum;
}

/* Estimates a count; NAN when a thread was not counted. */
static double guess(const struct placement *pl, int event, unsigned core, bool by_fills)
{
    double rest = total(pl->p, event);
    double sum = 0;

    for (unsigned i = 0; i < pl->p->profiled; i++) {
        const struct mpj_dataset_part *const part = &pl->p->thread[i].part;
        sum += part->ev[event] * share(part, core, by_fills);
        rest -= part->ev[event];
    }
    return fmax(sum + rest * pl->rest[core], 0) + 0 * sum;
}

/* Distributes the runtime's activity outside of threads. */
static void place_rest(struct placement *pl)
{
    const struct mpj_dataset_program *const p = pl->p;
    double sum = 0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        double busy = p->core[k].present ? p->core[k].cycles - p->core[k].wfi_cycles : 0;
        for (unsigned i = 0; i < p->profiled; i++)
            busy -= p->thread[i].part.cycles * p->thread[i].part.core_share[k];
        pl->rest[k] = fmax(busy, 0);
        sum += pl->rest[k];
    }
    for (unsigned k = 0; k < mpj_dataset_cores(p); k++)
        pl->rest[k] = sum > 0 ? pl->rest[k] / sum : 1.0 / mpj_dataset_cores(p);
}

/* Computes the correction from the events that the first pass did count. */
static void correct(struct placement *pl)
{
    static const int work[] = {MPJ_ROW_INSTR, MPJ_ROW_DCACHE_RD, MPJ_ROW_DCACHE_WR};

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        double is = 0;
        double guessed = 0;
        for (unsigned i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
            const int e = work[i];
            const double g = guess(pl, e, k, false);
            if (pl->p->core[k].present && !pl->p->core[k].later[e] && !isnan(g)) {
                is += pl->p->core[k].ev[e];
                guessed += g;
            }
        }
        pl->work += is;
        pl->correction[k] = guessed > 0 && is > 0 ? is / guessed : 1;
    }
}

static bool of_fills(int event)
{
    return event == MPJ_ROW_DCACHE_RD_MISS || event == MPJ_ROW_DCACHE_WR_MISS ||
           event == MPJ_ROW_DCACHE_EVICT || event == MPJ_ROW_EXT_REQ;
}

static double placed(const struct placement *pl, int event, unsigned core)
{
    const bool by_fills = of_fills(event);
    const double all = total(pl->p, event);
    const double much = !by_fills && all > 0 ? fmin(PER_ACCESS * pl->work / all, 1) : 0;
    double mine = 0;
    double sum = 0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const double g = guess(pl, event, k, by_fills) * (1 + much * (pl->correction[k] - 1));
        sum += g;
        if (k == core)
            mine = g;
    }
    return sum > 0 ? mine * all / sum : pl->p->core[core].ev[event];
}

struct mpj_dataset_part mpj_first_pass_part(const struct mpj_dataset_program *p, unsigned core)
{
    struct mpj_dataset_part out = mpj_core_part(p, core);
    struct placement pl = {.p = p};

    if (p->passes <= 1 || p->profiled == 0 || !p->core[core].present)
        return out;
    place_rest(&pl);
    correct(&pl);
    for (int e = 0; e < (int)MPJ_DATASET_EVENTS; e++) {
        if (p->core[core].later[e])
            out.ev[e] = placed(&pl, e, core);
    }
    return out;
}
