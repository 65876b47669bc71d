/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of multiplexed pairs of events, by event. */
#include "mpj_prof.h"

/* Returns ticks * part / whole. */
static uint64_t share(uint64_t ticks, uint64_t part, uint64_t whole)
{
    if (part == whole || whole == 0)
        return ticks;
    /* Ratio in 2^-31: the product stays in range for a run of days. */
    while (whole >= 1ULL << 32) {
        whole >>= 1;
        part >>= 1;
    }
    part = (part << 31) / whole;
    return (ticks >> 31) * part + (((ticks & 0x7fffffffU) * part) >> 31);
}

unsigned mpj_prof_values(const struct mpj_prof_sum sum[MPJ_PROF_PAIRS], uint64_t ticks,
                         struct mpj_event_value *out)
{
    uint64_t cycles[MPJ_REC_EVENTS_MAX] = {0};
    uint64_t all = 0;
    unsigned n = 0;

    for (unsigned p = 0; p < mpj_prof_pairs(); p++) {
        const uint16_t *pair = mpj_prof_pair(p);

        all += sum[p].cycles;
        for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
            const uint16_t event = pair[i];
            unsigned k = 0;

            /* A pair that was never counted, or the same event twice. */
            if (event == MPJ_EVENT_NONE || (i > 0 && event == pair[0]) ||
                (!mpj_prof_rotates() && sum[p].cycles == 0))
                continue;
            while (k < n && out[k].event != event)
                k++;
            if (k == n)
                out[n++] = (struct mpj_event_value){.event = event};
            out[k].value += sum[p].event[i];
            cycles[k] += sum[p].cycles;
        }
    }
    for (unsigned k = 0; k < n; k++)
        out[k].active = share(ticks, cycles[k], all);
    return n;
}
