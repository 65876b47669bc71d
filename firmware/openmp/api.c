/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp_* functions for threads, teams, settings and time. */
#ifndef __linux__
#ifndef _POSIX_TIMERS
#define _POSIX_TIMERS 1 /* newlib declares clock_gettime() for this */
#endif
#ifndef _POSIX_MONOTONIC_CLOCK
#define _POSIX_MONOTONIC_CLOCK 200112L
#endif
#endif
#include "omp.h"
#include "omp_int.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct omp_icv *icv(void)
{
    return &omp_self()->s.task->icv;
}

void omp_set_num_threads(int n)
{
    icv()->nthreads = n > 0 ? (int)omp_team_at_most((unsigned long)n) : 1;
}

int omp_get_num_threads(void)
{
    return (int)omp_self()->s.team->n;
}

int omp_get_max_threads(void)
{
    return icv()->nthreads;
}

int omp_get_thread_num(void)
{
    return (int)omp_self()->s.tid;
}

int omp_get_num_procs(void)
{
    return (int)mpj_rt_cores();
}

int omp_in_parallel(void)
{
    return omp_self()->s.team->active_level > 0;
}

void omp_set_dynamic(int on)
{
    icv()->dynamic = on != 0;
}

int omp_get_dynamic(void)
{
    return icv()->dynamic;
}

void omp_set_nested(int on)
{
    struct omp_icv *i = icv();
    if (on)
        i->max_levels = OMP_MAX_LEVELS;
    else if (i->max_levels > 1)
        i->max_levels = 1;
}

int omp_get_nested(void)
{
    const struct omp_thread *thr = omp_self();
    return thr->s.task->icv.max_levels > (int)thr->s.team->active_level &&
           thr->s.task->icv.max_levels > 1;
}

void omp_set_schedule(omp_sched_t kind, int chunk)
{
    struct omp_icv *i = icv();
    unsigned plain = (unsigned)kind & ~(unsigned)omp_sched_monotonic;
    if (plain < OMP_STATIC || plain > OMP_AUTO)
        return;
    i->sched = (uint8_t)plain;
    i->monotonic = ((unsigned)kind & (unsigned)omp_sched_monotonic) != 0;
    if (plain == OMP_STATIC)
        i->chunk = chunk > 0 ? chunk : 0;
    else if (plain != OMP_AUTO)
        i->chunk = chunk > 0 ? chunk : 1;
}

void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
    const struct omp_icv *i = icv();
    unsigned value = i->sched;
    if (i->monotonic)
        value |= (unsigned)omp_sched_monotonic;
    *kind = (omp_sched_t)value;
    *chunk = i->chunk;
}

int omp_get_thread_limit(void)
{
    return icv()->thread_limit;
}

void omp_set_max_active_levels(int n)
{
    if (n >= 0)
        icv()->max_levels = n > OMP_MAX_LEVELS ? OMP_MAX_LEVELS : n;
}

int omp_get_max_active_levels(void)
{
    return icv()->max_levels;
}

int omp_get_supported_active_levels(void)
{
    return OMP_MAX_LEVELS;
}

int omp_get_level(void)
{
    return (int)omp_self()->s.team->level;
}

int omp_get_active_level(void)
{
    return (int)omp_self()->s.team->active_level;
}

/* Walks out to the given level; *tid becomes the ancestor's number there. NULL: there is no such
 * level. */
static const struct omp_team *ancestor(int level, unsigned *tid)
{
    const struct omp_thread *thr = omp_self();
    const struct omp_team *team = thr->s.team;
    *tid = thr->s.tid;
    if (level < 0 || level > (int)team->level)
        return NULL;
    while ((int)team->level > level) {
        *tid = team->parent_tid;
        team = team->parent;
    }
    return team;
}

int omp_get_ancestor_thread_num(int level)
{
    unsigned tid;
    return ancestor(level, &tid) ? (int)tid : -1;
}

int omp_get_team_size(int level)
{
    unsigned tid;
    const struct omp_team *team = ancestor(level, &tid);
    return team ? (int)team->n : -1;
}

int omp_in_final(void)
{
    return omp_self()->s.task->final;
}

int omp_get_cancellation(void)
{
    omp_self(); /* reads the environment */
    return omp_config.cancellation;
}

int omp_get_max_task_priority(void)
{
    omp_self(); /* reads the setting, if this is the thread's first call */
    return omp_config.max_task_priority;
}

/* ---- binding --------------------------------------------------------------------- */

omp_proc_bind_t omp_get_proc_bind(void)
{
    return (omp_proc_bind_t)icv()->bind;
}

int omp_get_num_places(void)
{
    return 0;
}

int omp_get_place_num_procs(int place)
{
    (void)place;
    return 0;
}

void omp_get_place_proc_ids(int place, int *ids)
{
    (void)place;
    (void)ids;
}

int omp_get_place_num(void)
{
    return -1;
}

int omp_get_partition_num_places(void)
{
    return 0;
}

void omp_get_partition_place_nums(int *places)
{
    (void)places;
}

void omp_print_env(bool verbose)
{
    static const char *const kinds[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    static const char *const binds[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    const struct omp_icv *i = &omp_config.icv;
    fprintf(stderr,
            "OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n  OMP_DYNAMIC = '%s'\n"
            "  OMP_NUM_THREADS = '%d'\n  OMP_SCHEDULE = '%s,%d'\n  OMP_PROC_BIND = '%s'\n"
            "  OMP_STACKSIZE = '%lu'\n  OMP_THREAD_LIMIT = '%d'\n  OMP_MAX_ACTIVE_LEVELS = '%d'\n"
            "  OMP_CANCELLATION = '%s'\n  OMP_MAX_TASK_PRIORITY = '%d'\n",
            i->dynamic ? "TRUE" : "FALSE", i->nthreads, kinds[i->sched], i->chunk, binds[i->bind],
            omp_config.stack_size, i->thread_limit, i->max_levels,
            omp_config.cancellation ? "TRUE" : "FALSE", omp_config.max_task_priority);
    if (verbose)
        fprintf(stderr, "  GOMP_SPINCOUNT = '%u'\n", omp_config.spin);
    fprintf(stderr, "OPENMP DISPLAY ENVIRONMENT END\n");
}

void omp_display_env(int verbose)
{
    (void)omp_self(); /* reads the environment */
    omp_print_env(verbose != 0);
}

/* ---- time ------------------------------------------------------------------------ */

double omp_get_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double omp_get_wtick(void)
{
    struct timespec tick;
    if (clock_getres(CLOCK_MONOTONIC, &tick) != 0)
        return 1e-6;
    return (double)tick.tv_sec + (double)tick.tv_nsec * 1e-9;
}
