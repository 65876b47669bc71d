/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_degree.h"

#include <string.h>

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_sys.h"

#define EDGES 128U
/* Edges merged before the waiting thread polls again, some 500 cycles: a thread that is late by
 * that delays others. */
#define STEP 8U
/* Ticks within which a core's edge may still arrive: the time from reading the clock to writing the
 * log, and the distance between the emulator's cores. A later edge counts from where the other logs
 * are merged. */
#define LATE  (HAL_SYS_TIME_HZ / 10000U)
#define NEVER UINT64_MAX

static struct {
    struct log {
        /* Written by the core. */
        uint32_t head;
        uint32_t full; /* head at which the log is full, unless the merge has advanced since */
        bool busy;
        uint64_t edge[EDGES]; /* ticks, when `busy` changed, oldest first */
        /* Written by the holder of the lock. */
        uint32_t tail __attribute__((aligned(32))); /* first edge that is not merged */
        bool merged_busy;                           /* at the tail */
    } __attribute__((aligned(32))) log[MPJ_CORES_MAX];
    hal_spinlock lock;
    unsigned running; /* busy cores at `since` */
    uint64_t since;   /* merged up to this time */
    uint64_t ticks[MPJ_CORES_MAX + 1U];
} dg;

void mpj_degree_reset(void)
{
    memset(&dg, 0, sizeof(dg));
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++)
        dg.log[i].full = EDGES;
}

void mpj_degree_begin(uint64_t now)
{
    dg.since = now;
}

static uint64_t edge_at(const struct log *l, uint32_t tail, uint32_t head)
{
    return tail != head ? l->edge[tail % EDGES] : NEVER;
}

/* Merges at most `most` edges before `until`, oldest first. Returns how many. */
HAL_HOT static unsigned merge(uint64_t until, unsigned most)
{
    uint32_t head[MPJ_CORES_MAX], tail[MPJ_CORES_MAX];
    uint64_t at[MPJ_CORES_MAX];
    unsigned n;

    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        head[i] = __atomic_load_n(&dg.log[i].head, __ATOMIC_ACQUIRE);
        tail[i] = dg.log[i].tail;
        at[i] = edge_at(&dg.log[i], tail[i], head[i]);
    }
    for (n = 0; n < most; n++) {
        unsigned first = 0;
        struct log *l;

        for (unsigned i = 1; i < MPJ_CORES_MAX; i++) {
            if (at[i] < at[first])
                first = i;
        }
        if (at[first] >= until)
            break;
        if (at[first] > dg.since) {
            dg.ticks[dg.running] += at[first] - dg.since;
            dg.since = at[first];
        }
        l = &dg.log[first];
        dg.running += l->merged_busy ? -1U : 1U;
        l->merged_busy = !l->merged_busy;
        at[first] = edge_at(l, ++tail[first], head[first]);
    }
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        if (tail[i] != dg.log[i].tail)
            __atomic_store_n(&dg.log[i].tail, tail[i], __ATOMIC_RELEASE);
    }
    return n;
}

HAL_HOT static bool is_full(struct log *l)
{
    l->full = __atomic_load_n(&l->tail, __ATOMIC_ACQUIRE) + EDGES;
    return l->head == l->full;
}

HAL_HOT void mpj_degree_edge(unsigned core, bool busy, uint64_t now)
{
    struct log *l = &dg.log[core];

    if (l->busy == busy)
        return;
    if (l->head == l->full && is_full(l)) {
        hal_spin_lock(&dg.lock);
        while (is_full(l)) {
            if (merge(now - LATE, STEP) == 0)
                (void)merge(NEVER, STEP);
        }
        hal_spin_unlock(&dg.lock);
    }
    l->busy = busy;
    l->edge[l->head % EDGES] = now;
    __atomic_store_n(&l->head, l->head + 1U, __ATOMIC_RELEASE);
}

HAL_HOT void mpj_degree_catch_up(unsigned core, uint64_t now)
{
    const struct log *l = &dg.log[core];

    if (l->head - __atomic_load_n(&l->tail, __ATOMIC_ACQUIRE) <= EDGES / 8U ||
        !hal_spin_try(&dg.lock))
        return;
    (void)merge(now - LATE, STEP);
    hal_spin_unlock(&dg.lock);
}

uint64_t mpj_degree_end(uint64_t end, uint64_t ticks[MPJ_CORES_MAX + 1U])
{
    (void)merge(NEVER, UINT32_MAX);
    if (end < dg.since)
        end = dg.since;
    dg.ticks[dg.running] += end - dg.since;
    dg.since = end;
    memcpy(ticks, dg.ticks, sizeof(dg.ticks));
    return end;
}
