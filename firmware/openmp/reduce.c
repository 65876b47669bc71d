/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task reductions. The compiler describes the reductions of a construct in an array of words: [0]
 * number of variables, [1] bytes per thread, [2] alignment (afterwards the address of the memory),
 * [4] next array, [6] end of the memory, then per variable from [7] on: address, offset in a
 * thread's part, and a word for the runtime. Word [5] is for the runtime, too: it marks the first
 * array of a registration. Registered arrays are chained, inner ones first, through [4].
 */
#include "omp_int.h"
#include <stdlib.h>
#include <string.h>

enum { COUNT = 0, SIZE = 1, MEM = 2, NEXT = 4, HEAD = 5, END = 6, VARS = 7, VAR_WORDS = 3 };

static void *zeroed(size_t align, size_t size)
{
    if (align < sizeof(void *))
        align = sizeof(void *);
    size = (size + align - 1) / align * align;
    void *ptr = aligned_alloc(align, size ? size : align);
    if (!ptr)
        omp_fatal("out of memory for a task reduction", NULL);
    memset(ptr, 0, size);
    return ptr;
}

void omp_reduction_register(uintptr_t *data, uintptr_t *outer, const uintptr_t *first,
                            unsigned nthreads)
{
    for (uintptr_t *d = data;; d = (uintptr_t *)d[NEXT]) {
        if (first) {
            d[MEM] = first[MEM];
            d[END] = first[END];
            first = (const uintptr_t *)first[NEXT];
        } else {
            size_t size = d[SIZE] * nthreads;
            d[MEM] = (uintptr_t)zeroed(d[MEM], size);
            d[END] = d[MEM] + size;
        }
        d[HEAD] = d == data;
        if (!d[NEXT]) {
            d[NEXT] = (uintptr_t)outer;
            return;
        }
    }
}

void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
    struct omp_thread *thr = omp_self();
    struct omp_taskgroup *group = thr->s.task->group;
    omp_reduction_register(data, group->reductions, NULL, thr->s.team->n);
    group->reductions = data;
}

void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
    uintptr_t *d = data;
    do {
        free((void *)d[MEM]);
        d = (uintptr_t *)d[NEXT];
    } while (d && !d[HEAD]);
}

static const uintptr_t *variable_at(const uintptr_t *d, int word, uintptr_t value)
{
    const uintptr_t *var = d + VARS;
    for (uintptr_t i = 0; i < d[COUNT]; i++, var += VAR_WORDS) {
        if (var[word] == value)
            return var;
    }
    return NULL;
}

/* Replaces ptrs[i], the address of a variable or of some thread's copy, by the calling thread's
 * copy; for i < cntorig, ptrs[cnt + i] becomes the address of the variable itself. */
void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void **ptrs)
{
    struct omp_thread *thr = omp_self();
    struct omp_taskgroup *group = thr->s.task->group;
    for (size_t i = 0; i < cnt; i++) {
        uintptr_t ptr = (uintptr_t)ptrs[i];
        const uintptr_t *d = group ? group->reductions : NULL;
        const uintptr_t *var = NULL;
        uintptr_t offset = 0;
        for (; d; d = (const uintptr_t *)d[NEXT]) {
            var = variable_at(d, 0, ptr);
            if (var) {
                offset = var[1];
                break;
            }
            if (ptr >= d[MEM] && ptr < d[END]) {
                offset = (ptr - d[MEM]) % d[SIZE];
                var = i < cntorig ? variable_at(d, 1, offset) : NULL;
                break;
            }
        }
        if (!d || (i < cntorig && !var))
            omp_fatal("in_reduction without a matching task reduction", NULL);
        ptrs[i] = (void *)(d[MEM] + thr->s.tid * d[SIZE] + offset);
        if (i < cntorig)
            ptrs[cnt + i] = (void *)var[0];
    }
}

void omp_workshare_reductions(struct omp_thread *thr, uintptr_t *reductions, struct omp_ws *ws)
{
    struct omp_team *team = thr->s.team;
    struct omp_taskgroup *group = malloc(sizeof(*group));
    if (!group)
        omp_fatal("out of memory", NULL);
    omp_taskgroup_begin(thr, group);
    group->workshare = true;
    omp_lock(&team->ws_lock, thr->id, MPJ_WAIT_OMP_CRITICAL, NULL);
    omp_reduction_register(reductions, group->reductions, ws->reductions, team->n);
    if (!ws->reductions)
        ws->reductions = reductions; /* stays until the barrier that ends the construct */
    omp_unlock(&team->ws_lock);
    group->reductions = reductions;
}

void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    struct omp_thread *thr = omp_self();
    uintptr_t *data = thr->s.task->group->reductions;
    GOMP_taskgroup_end();
    if (!cancelled)
        omp_team_barrier(thr, OMP_CALLER());
    if (thr->s.tid == 0)
        GOMP_taskgroup_reduction_unregister(data);
}
