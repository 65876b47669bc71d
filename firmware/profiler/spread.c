/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_spread.h"

#include <string.h>

#include "hal_hot.h"
#include "mpj_out.h"

HAL_HOT void mpj_spread_add(struct mpj_spread *s, uint64_t cycles,
                            const uint64_t event[MPJ_PMU_COUNTERS], unsigned shift)
{
    const uint64_t c = cycles >> shift;

    if (cycles == 0)
        return;
    s->turns++;
    s->c += c;
    s->cc += c * c;
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        const uint64_t x = event[i] >> shift;

        s->x[i] += x;
        s->xx[i] += x * x;
        s->xc[i] += x * c;
    }
}

void mpj_spread_join(struct mpj_spread *s, const struct mpj_spread *other)
{
    s->turns += other->turns;
    s->c += other->c;
    s->cc += other->cc;
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        s->x[i] += other->x[i];
        s->xx[i] += other->xx[i];
        s->xc[i] += other->xc[i];
    }
}

void mpj_slices_init(struct mpj_slices *s)
{
    s->cycles = 0;
    memset(s->event, 0, sizeof(s->event));
    memset(s->spread, 0, mpj_prof_pairs() * sizeof(s->spread[0]));
}

HAL_HOT void mpj_slices_end(struct mpj_slices *s)
{
    if (s->cycles != 0)
        mpj_spread_add(&s->spread[s->pair], s->cycles, s->event, mpj_prof_shift());
    s->cycles = 0;
    memset(s->event, 0, sizeof(s->event));
}

HAL_HOT void mpj_slices_add(struct mpj_slices *s, unsigned pair, uint32_t turn,
                            const uint64_t step[HAL_PMU_COUNTERS])
{
    if (s->turn != turn)
        mpj_slices_end(s);
    s->turn = turn;
    s->pair = pair;
    s->cycles += step[HAL_PMU_CCNT];
    s->event[0] += step[HAL_PMU_PMN0];
    s->event[1] += step[HAL_PMU_PMN1];
}

static int put_spread(struct mpj_writer *w, const void *rec)
{
    return mpj_spread_put(w, rec);
}

static void merge(struct mpj_event_spread *to, const struct mpj_spread *s, unsigned i)
{
    to->turns += s->turns;
    to->c += s->c;
    to->cc += s->cc;
    to->x += s->x[i];
    to->xx += s->xx[i];
    to->xc += s->xc[i];
}

void mpj_spread_send(uint32_t owner, uint32_t id, const struct mpj_spread spread[MPJ_PROF_PAIRS])
{
    static struct mpj_event_spread all[MPJ_REC_EVENTS_MAX];
    static struct mpj_spread_rec rec;
    unsigned n = 0;

    for (unsigned p = 0; p < mpj_prof_pairs(); p++) {
        for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
            const uint16_t event = mpj_prof_pair(p)[i];
            unsigned k = 0;

            if (event == MPJ_EVENT_NONE || (i > 0 && event == mpj_prof_pair(p)[0]))
                continue;
            while (k < n && all[k].event != event)
                k++;
            if (k == n)
                all[n++] = (struct mpj_event_spread){.event = event};
            merge(&all[k], &spread[p], i);
        }
    }
    for (unsigned from = 0; from < n; from += rec.count) {
        rec = (struct mpj_spread_rec){.owner = owner, .id = id, .shift = mpj_prof_shift()};
        while (rec.count < MPJ_SPREAD_MAX && from + rec.count < n) {
            rec.ev[rec.count] = all[from + rec.count];
            rec.count++;
        }
        (void)mpj_out_record(put_spread, &rec);
    }
}
