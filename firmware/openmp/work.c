/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work shares; sections, single, scope. */
#include "omp_int.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- chain of work shares --------------------------------------------------------- */

static void ws_release(struct omp_team *team, struct omp_ws *ws)
{
    free(ws->mem);
    ws->mem = NULL;
    if (ws->doacross) {
        free(ws->doacross->progress);
        free(ws->doacross->counts);
        free(ws->doacross);
        ws->doacross = NULL;
    }
    ws->next = team->ws_free;
    team->ws_free = ws;
}

static struct omp_ws *ws_new(struct omp_team *team, const struct omp_loop *loop)
{
    struct omp_ws *ws = team->ws_free;
    if (ws) {
        team->ws_free = ws->next;
    } else {
        ws = aligned_alloc(OMP_LINE, (sizeof(*ws) + OMP_LINE - 1) / OMP_LINE * OMP_LINE);
        if (!ws)
            omp_fatal("out of memory", NULL);
    }
    memset(ws, 0, sizeof(*ws));
    if (loop)
        ws->loop = *loop;
    ws->loop.ws = ws;
    return ws;
}

struct omp_ws *omp_ws_first(struct omp_team *team, const struct omp_loop *loop)
{
    struct omp_ws *ws = ws_new(team, loop);
    team->ws_first.next = ws;
    return ws;
}

void omp_ws_reset(struct omp_team *team, struct omp_ws *last)
{
    /* All threads are in the same work share: the others are recycled already. */
    if (last != &team->ws_first)
        ws_release(team, last);
    team->ws_first.next = NULL;
}

struct omp_ws *omp_ws_enter(struct omp_thread *thr, const struct omp_loop *loop, size_t mem,
                            struct omp_doacross *doacross)
{
    struct omp_team *team = thr->s.team;
    struct omp_ws *at = thr->s.ws;
    struct omp_ws *ws = __atomic_load_n(&at->next, __ATOMIC_ACQUIRE);
    if (!ws) {
        omp_lock(&team->ws_lock, thr->id, MPJ_WAIT_OMP_CRITICAL, NULL);
        ws = at->next;
        if (!ws) {
            ws = ws_new(team, loop);
            if (mem) {
                ws->mem = calloc(1, mem);
                if (!ws->mem)
                    omp_fatal("out of memory", NULL);
            }
            if (doacross) {
                omp_doacross_start(doacross);
                ws->doacross = doacross;
            }
            __atomic_store_n(&at->next, ws, __ATOMIC_RELEASE);
        }
        omp_unlock(&team->ws_lock);
    }
    thr->s.ws = ws;
    if (at != &team->ws_first && __atomic_add_fetch(&at->left, 1, __ATOMIC_ACQ_REL) == team->n) {
        omp_lock(&team->ws_lock, thr->id, MPJ_WAIT_OMP_CRITICAL, NULL);
        ws_release(team, at);
        omp_unlock(&team->ws_lock);
    }
    return ws;
}

/* ---- sections -------------------------------------------------------------------- */

static unsigned section_take(struct omp_thread *thr)
{
    struct omp_ws *ws = thr->s.loop.ws;
    unsigned long n = ws->loop.r.l.n;
    unsigned long at = __atomic_load_n(&ws->pos.l, __ATOMIC_RELAXED);
    do {
        if (at >= n)
            return 0;
    } while (!__atomic_compare_exchange_n(&ws->pos.l, &at, at + 1, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return (unsigned)at + 1;
}

static void sections_init(struct omp_loop *loop, unsigned count)
{
    memset(loop, 0, sizeof(*loop));
    loop->sched = OMP_DYNAMIC;
    loop->r.l.n = count;
    loop->r.l.chunk = 1;
}

unsigned GOMP_sections_start(unsigned count)
{
    return GOMP_sections2_start(count, NULL, NULL);
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem)
{
    struct omp_thread *thr = omp_self();
    struct omp_loop loop;
    sections_init(&loop, count);
    omp_loop_enter(thr, &loop, reductions, mem, NULL);
    return section_take(thr);
}

unsigned GOMP_sections_next(void)
{
    return section_take(omp_self());
}

void GOMP_parallel_sections(gomp_fn *fn, void *data, unsigned num_threads, unsigned count,
                            unsigned flags)
{
    struct omp_loop loop;
    (void)flags;
    sections_init(&loop, count);
    omp_parallel(fn, data, num_threads, &loop, NULL, NULL, OMP_CALLER());
}

void GOMP_sections_end(void)
{
    omp_team_barrier(omp_self(), OMP_CALLER());
}

bool GOMP_sections_end_cancel(void)
{
    return omp_team_barrier_cancel(omp_self(), OMP_CALLER());
}

void GOMP_sections_end_nowait(void)
{
}

/* ---- single ---------------------------------------------------------------------- */

bool GOMP_single_start(void)
{
    struct omp_thread *thr = omp_self();
    struct omp_team *team = thr->s.team;
    uint32_t mine = thr->s.singles++;
    if (team->n == 1)
        return true;
    return __atomic_compare_exchange_n(&team->single, &mine, mine + 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

void *GOMP_single_copy_start(void)
{
    struct omp_thread *thr = omp_self();
    if (GOMP_single_start())
        return NULL;
    omp_team_barrier(thr, OMP_CALLER());
    /* The compiler puts a barrier after the copies, so this value stays valid until then. */
    return thr->s.team->copy;
}

void GOMP_single_copy_end(void *data)
{
    struct omp_thread *thr = omp_self();
    thr->s.team->copy = data;
    omp_team_barrier(thr, OMP_CALLER());
}

/* ---- scope ----------------------------------------------------------------------- */

void GOMP_scope_start(uintptr_t *reductions)
{
    struct omp_thread *thr = omp_self();
    struct omp_loop loop;
    sections_init(&loop, 0);
    omp_loop_enter(thr, &loop, reductions, NULL, NULL);
}
