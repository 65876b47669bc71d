/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile of threads: its start, its end, and its records. */
#include <string.h>

#include "hal_sys.h"
#include "mpj_degree.h"
#include "mpj_out.h"
#include "mpj_trace_records.h"
#include "thread_int.h"

#define pt mpj_prof_threads

void mpj_prof_threads_reset(bool on)
{
    memset(&pt, 0, sizeof(pt));
    mpj_prof_fold_reset();
    mpj_prof_counts_again();
    mpj_degree_reset();
    pt.on = on;
    pt.waits.entry = mpj_prof_memory.wait;
    pt.regions.entry = mpj_prof_memory.region;
}

void mpj_prof_threads_begin(uint64_t now)
{
    pt.begin = now;
    mpj_degree_begin(now);
    pt.rotates = mpj_prof_rotates();
    pt.pairs = (uint8_t)mpj_prof_pairs();
    pt.fills = mpj_prof_reads_fills();
    /* Threads that exist already (main) begin with the run. */
    for (uint32_t i = 0; i < pt.used; i++) {
        mpj_prof_memory.rec[i].since = mpj_thread_rests[i].created = now;
        mpj_timeline_init(&mpj_prof_memory.rec[i].timeline, mpj_prof_memory.rec[i].timeline.bin, 0);
    }
}

void mpj_prof_threads_rest(void)
{
    struct mpj_prof_rec *r = pt.core[hal_cpu_id()].cur;
    uint64_t step[HAL_PMU_COUNTERS];
    unsigned pair = mpj_prof_core_take(step);

    if (r != NULL)
        mpj_thread_charge(r, pair, step);
}

void mpj_prof_threads_leave(void)
{
    const unsigned core = hal_cpu_id();
    struct mpj_prof_rec *r = pt.core[core].cur;
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    const unsigned pair = mpj_prof_core_switch(core, 0U, step, &ccnt);
    const uint32_t ended = 2;

    if (r != NULL)
        mpj_thread_charge(r, pair, step);
    if (pt.fills)
        mpj_thread_charge_fills(r, core);
    if (pt.moment != NULL && r != NULL)
        pt.moment(core, MPJ_AT_STOPS, r->id, 1, &ended);
    pt.core[core].cur = NULL;
}

static int put_thread(struct mpj_writer *w, const void *rec)
{
    return mpj_thread_put(w, rec);
}

static int put_wait(struct mpj_writer *w, const void *rec)
{
    return mpj_wait_put(w, rec);
}

static int put_region(struct mpj_writer *w, const void *rec)
{
    return mpj_region_put(w, rec);
}

static int put_timeline(struct mpj_writer *w, const void *rec)
{
    return mpj_timeline_put(w, rec);
}

static int put_parallel(struct mpj_writer *w, const void *rec)
{
    return mpj_parallel_put(w, rec);
}

static uint64_t cycles_of(const struct mpj_prof_sum sum[MPJ_PROF_PAIRS])
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < mpj_prof_pairs(); i++)
        cycles += sum[i].cycles;
    return cycles;
}

/* Returns the sums of all pairs in one array, valid until the next call. */
static const struct mpj_prof_sum *all(const struct mpj_prof_sum *first,
                                      const struct mpj_prof_sum *more)
{
    static struct mpj_prof_sum sum[MPJ_PROF_PAIRS];

    sum[0] = *first;
    memcpy(&sum[1], more, (mpj_prof_pairs() - 1U) * sizeof(sum[0]));
    return sum;
}

/* Adds linefills by core, as many as fit. Returns how many. */
static unsigned fill_values(const struct mpj_prof_rest *rest, uint64_t ticks,
                            struct mpj_event_value *out, unsigned room)
{
    static const uint16_t first[MPJ_PROF_FILLS] = {MPJ_EVENT_SCU_MISS_CPU0, MPJ_EVENT_SCU_C2C_CPU0};
    unsigned n = 0;

    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (unsigned f = 0; f < MPJ_PROF_FILLS && n < room; f++)
            out[n++] = (struct mpj_event_value){.event = MPJ_THREAD_SCU + first[f] + core,
                                                .value = rest->fills[core][f],
                                                .active = ticks};
    }
    return n;
}

static void send_thread(const struct mpj_prof_rec *r)
{
    static struct mpj_thread_rec t;
    const struct mpj_prof_rest *rest = r->rest;
    const struct mpj_prof_sum *sum = all(&r->sum, rest->more);

    t = (struct mpj_thread_rec){
        .id = r->id,
        .parent = rest->parent,
        .flags = rest->flags,
        .entry = rest->entry,
        .created = rest->created,
        .ended = r->since + rest->other_lives,
        .folded = rest->folded,
        .run = r->ran,
        .block = r->block,
        .sleep = r->sleep,
        .host = r->host,
        .kernel = r->kernel * HAL_SYS_TIME_HZ / hal_sys_clock_hz(),
        .switches = r->switches,
        .cycles = cycles_of(sum),
        .stack_bytes = rest->stack_bytes,
        .stack_used_bytes = rest->stack_used,
    };
    /* A part of the run, but measured in cycles of its core, whereas the run uses the clock of
     * several cores. */
    if (t.kernel > t.run)
        t.kernel = t.run;
    if (r->state != MPJ_PROF_ENDED)
        t.flags |= MPJ_THREAD_ALIVE;
    if (r->id == 1U)
        t.flags |= MPJ_THREAD_MAIN;
    memcpy(t.core_run, r->core_run, sizeof(t.core_run));
    t.count = mpj_prof_values(sum, t.run, t.ev);
    if (mpj_prof_counts_fills())
        t.count += fill_values(rest, t.run, &t.ev[t.count], MPJ_REC_EVENTS_MAX - t.count);
    t.name.p = (const uint8_t *)rest->name;
    t.name.len = strnlen(rest->name, MPJ_PROF_NAME);
    (void)mpj_out_record(put_thread, &t);
}

/* Bins of a record: three numbers of up to 8 bytes each, in a frame. */
#define AT_ONCE 40U

static void send_timeline(const struct mpj_prof_rec *r)
{
    static struct mpj_timeline_rec t;
    static uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX];
    const struct mpj_timeline *line = &r->timeline;

    t.thread = r->id;
    t.width = mpj_timeline_width(line);
    mpj_timeline_ticks(line, ticks);
    for (uint32_t i = 0; i < line->used; i += t.count) {
        t.first = line->first + i;
        t.count = line->used - i < AT_ONCE ? line->used - i : AT_ONCE;
        for (uint32_t k = 0; k < t.count; k++) {
            t.bin[k].run = ticks[MPJ_BIN_RUN][i + k];
            t.bin[k].block = ticks[MPJ_BIN_BLOCK][i + k];
            t.bin[k].host = ticks[MPJ_BIN_HOST][i + k];
        }
        (void)mpj_out_record(put_timeline, &t);
    }
}

static void send_waits(void)
{
    for (uint32_t i = 0; i < pt.waits.used; i++) {
        const struct mpj_wait_entry *e = &mpj_prof_memory.wait[i];
        struct mpj_wait_rec w;

        if (e->key.thread == 0)
            continue;
        w = (struct mpj_wait_rec){
            .thread = e->key.thread,
            .kind = e->key.kind,
            .object = e->key.object,
            .owner = e->key.owner,
            .caller = e->key.caller,
            .count = e->count,
            .total = mpj_wait_total(e),
            .longest = mpj_wait_longest(e),
        };

        (void)mpj_out_record(put_wait, &w);
    }
}

static void send_regions(void)
{
    static struct mpj_region_rec g;

    for (uint32_t i = 0; i < pt.regions.used; i++) {
        const struct mpj_region_entry *e = &mpj_prof_memory.region[i];
        const struct mpj_prof_sum first = {e->use[MPJ_USE_CYCLES],
                                           {e->use[MPJ_USE_EVENT0], e->use[MPJ_USE_EVENT1]}};
        const struct mpj_prof_sum *sum = all(&first, mpj_region_more[i]);

        if (e->fn == 0)
            continue;
        g = (struct mpj_region_rec){
            .fn = e->fn,
            .caller = e->caller,
            .thread = mpj_prof_memory.rec[e->owner].id,
            .size = e->size,
            .calls = e->calls,
            .wall = e->use[MPJ_USE_TIME],
            .run = e->use[MPJ_USE_RUN],
            .barrier = e->use[MPJ_USE_BARRIER],
            .cycles = cycles_of(sum),
            .host = mpj_region_host[i],
        };
        g.count = mpj_prof_values(sum, e->use[MPJ_USE_RUN], g.ev);
        (void)mpj_out_record(put_region, &g);
    }
}

void mpj_prof_threads_send(void)
{
    struct mpj_parallel_rec parallel;
    uint64_t end;

    if (!pt.on)
        return;
    pt.on = false;
    end = mpj_prof_end_time();
    for (uint32_t i = 0; i < pt.used; i++)
        mpj_thread_not_before(&end, mpj_prof_memory.rec[i].since);
    end = mpj_degree_end(end, parallel.ticks);
    for (uint32_t i = 0; i < pt.used; i++) {
        if (mpj_prof_memory.rec[i].id != 0)
            mpj_thread_finish(&mpj_prof_memory.rec[i], end);
    }
    for (uint32_t i = 0; i < pt.used; i++) {
        if (mpj_prof_memory.rec[i].id == 0) /* free again */
            continue;
        send_thread(&mpj_prof_memory.rec[i]);
        if (pt.rotates) {
            mpj_slices_end(&mpj_thread_rests[i].slices);
            mpj_spread_send(MPJ_SPREAD_THREAD, mpj_prof_memory.rec[i].id,
                            mpj_thread_rests[i].slices.spread);
        }
        if (mpj_thread_rests[i].folded == 0)
            send_timeline(&mpj_prof_memory.rec[i]);
    }
    send_waits();
    send_regions();
    (void)mpj_out_record(put_parallel, &parallel);
    mpj_out_dropped(MPJ_REC_THREAD, pt.lost);
    mpj_out_dropped(MPJ_REC_SYNC_WAIT, pt.waits.lost);
    mpj_out_dropped(MPJ_REC_REGION, pt.regions.lost + pt.deep);
}
