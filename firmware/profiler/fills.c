/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linefills of cores, from the SCU's counters: distinguish threads that share a core. */
#include <string.h>

#include "mpj_prof.h"

#include "hal_hot.h"

struct taken {
    uint64_t last[MPJ_PROF_FILLS];
} __attribute__((aligned(32))); /* each core writes its own */

static struct {
    bool reads, counts;
    uint8_t counter[MPJ_CORES_MAX][MPJ_PROF_FILLS]; /* counter of the SCU */
    struct taken core[MPJ_CORES_MAX];
} fills;

void mpj_prof_fills_configure(const uint16_t scu[MPJ_SCU_COUNTERS], bool counters, bool always)
{
    static const uint16_t first[MPJ_PROF_FILLS] = {MPJ_EVENT_SCU_MISS_CPU0, MPJ_EVENT_SCU_C2C_CPU0};
    unsigned found = 0;

    memset(&fills, 0, sizeof(fills));
    /* In the order of the event table, as a run that counts them has them. */
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (unsigned f = 0; f < MPJ_PROF_FILLS; f++)
            fills.counter[core][f] = (uint8_t)(f * MPJ_CORES_MAX + core);
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++) {
        for (unsigned f = 0; f < MPJ_PROF_FILLS; f++) {
            const unsigned core = (unsigned)scu[i] - first[f];

            if (core < MPJ_CORES_MAX) {
                fills.counter[core][f] = (uint8_t)i;
                found |= 1U << (core * MPJ_PROF_FILLS + f);
            }
        }
    }
    fills.counts = counters && found == (1U << MPJ_CORES_MAX * MPJ_PROF_FILLS) - 1U;
    fills.reads = fills.counts || (counters && always);
}

bool mpj_prof_reads_fills(void)
{
    return fills.reads;
}

bool mpj_prof_counts_fills(void)
{
    return fills.counts;
}

HAL_HOT void mpj_prof_core_fills(unsigned core, uint64_t step[MPJ_PROF_FILLS])
{
    uint64_t *last = fills.core[core].last;

    for (unsigned f = 0; f < MPJ_PROF_FILLS; f++) {
        const uint64_t now =
            mpj_prof_counting(core) ? mpj_prof_scu_read(fills.counter[core][f]) : last[f];

        step[f] = now - last[f];
        last[f] = now;
    }
}
