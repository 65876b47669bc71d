/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_degree.h"

#include <string.h>

#include "hal_cpu.h"
#include "hal_sys.h"

#define EDGES 128U
/* Ticks until which a core may tell of an edge: its way from the clock to the log, and by how much
 * the emulator's cores are apart. An edge that comes later counts from where the others are. */
#define LATE (HAL_SYS_TIME_HZ / 10000U)

static struct {
    struct log {
        /* The core's. */
        uint32_t head;
        bool busy;
        uint64_t edge[EDGES]; /* ticks, when `busy` changed, oldest first */
        /* Of who has the lock. */
        uint32_t tail __attribute__((aligned(32))); /* from here on not merged */
        bool merged_busy;                           /* at the tail */
    } __attribute__((aligned(32))) log[MPJ_CORES_MAX];
    hal_spinlock lock;
    unsigned running; /* cores at work at `since` */
    uint64_t since;   /* merged until then */
    uint64_t ticks[MPJ_CORES_MAX + 1U];
} dg;

void mpj_degree_reset(void)
{
    memset(&dg, 0, sizeof(dg));
}

void mpj_degree_begin(uint64_t now)
{
    dg.since = now;
}

static void merge(uint64_t until)
{
    hal_spin_lock(&dg.lock);
    for (;;) {
        struct log *first = NULL;
        uint64_t at = until;

        for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
            struct log *l = &dg.log[i];

            if (l->tail != __atomic_load_n(&l->head, __ATOMIC_ACQUIRE) &&
                l->edge[l->tail % EDGES] < at) {
                first = l;
                at = l->edge[l->tail % EDGES];
            }
        }
        if (first == NULL)
            break;
        if (at > dg.since) {
            dg.ticks[dg.running] += at - dg.since;
            dg.since = at;
        }
        dg.running += first->merged_busy ? -1U : 1U;
        first->merged_busy = !first->merged_busy;
        __atomic_store_n(&first->tail, first->tail + 1U, __ATOMIC_RELEASE);
    }
    hal_spin_unlock(&dg.lock);
}

static uint32_t left(const struct log *l)
{
    return l->head - __atomic_load_n(&l->tail, __ATOMIC_ACQUIRE);
}

void mpj_degree_edge(unsigned core, bool busy, uint64_t now)
{
    struct log *l = &dg.log[core];

    if (l->busy == busy)
        return;
    if (left(l) == EDGES) {
        merge(now - LATE);
        if (left(l) == EDGES)
            merge(UINT64_MAX);
    }
    l->busy = busy;
    l->edge[l->head % EDGES] = now;
    __atomic_store_n(&l->head, l->head + 1U, __ATOMIC_RELEASE);
}

void mpj_degree_catch_up(unsigned core, uint64_t now)
{
    if (left(&dg.log[core]) > EDGES / 8U)
        merge(now - LATE);
}

uint64_t mpj_degree_end(uint64_t end, uint64_t ticks[MPJ_CORES_MAX + 1U])
{
    merge(UINT64_MAX);
    if (end < dg.since)
        end = dg.since;
    dg.ticks[dg.running] += end - dg.since;
    dg.since = end;
    memcpy(ticks, dg.ticks, sizeof(dg.ticks));
    return end;
}
