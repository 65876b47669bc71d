/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reuse of records of threads when all are in use: of the threads that have ended, those that ran
 * least are added up, one record for each function they began with, and their records are freed.
 * Sums stay exact; the times at which each of them ran are lost.
 *
 * The scheduler's lock is held. Other cores may write the records and entries of live threads,
 * which therefore are not moved.
 */
#include <stddef.h>
#include <string.h>

#include "mpj_noinit.h"
#include "thread_int.h"

#define pt      mpj_prof_threads
#define SUMS    64U /* functions with a record for their threads */
#define CLASSES 65U /* of run times: number of significant bits of the ticks */
#define NONE    UINT16_MAX
#define STAYS   UINT8_MAX

static MPJ_NOINIT uint16_t
    into[MPJ_PROF_THREADS]; /* record that this one is added to; NONE: it stays */
static MPJ_NOINIT uint8_t class[MPJ_PROF_THREADS]; /* class_of(), or STAYS */
static MPJ_NOINIT struct victim {
    uint32_t id;
    uint32_t to; /* id */
} victims[MPJ_PROF_THREADS];
static uint16_t sums[SUMS]; /* records of ended threads, one per function */
static unsigned sums_used;

static unsigned class_of(const struct mpj_prof_rec *r)
{
    return r->ran == 0 ? 0U : 64U - (unsigned)__builtin_clzll(r->ran);
}

/* Returns true for a record that can be added to another one: the thread has ended, is not main,
 * gets no more data, and is not itself a sum of others. */
static bool may_go(const struct mpj_prof_rec *r)
{
    return r->state == MPJ_PROF_ENDED && r->id > 1U && r->rest->folded == 0 &&
           r->rest->stack_bytes != 0;
}

/* Notes the class of each record that can be freed. Returns the class up to which they are, about
 * half of them. One pass: records of ended threads are no longer in the caches. */
static unsigned most_run(void)
{
    uint32_t count[CLASSES] = {0}, all = 0, have = 0;
    unsigned c = 0;

    for (uint32_t i = 0; i < pt.used; i++) {
        class[i] = STAYS;
        if (may_go(&mpj_prof_memory.rec[i])) {
            class[i] = (uint8_t)class_of(&mpj_prof_memory.rec[i]);
            count[class[i]]++;
            all++;
        }
    }
    for (; c < CLASSES - 1U; c++) {
        have += count[c];
        if (2U * have >= all)
            break;
    }
    return c;
}

/* Returns the number of the record for ended threads of this one's function: at first, this one;
 * NONE: no more such records. */
static uint16_t sum_for(uint32_t i)
{
    for (unsigned k = 0; k < sums_used; k++) {
        if (mpj_thread_rests[sums[k]].entry == mpj_thread_rests[i].entry)
            return sums[k];
    }
    if (sums_used == SUMS)
        return NONE;
    sums[sums_used++] = (uint16_t)i;
    return (uint16_t)i;
}

/* Adds up all notes of an ended thread. */
static void finish(struct mpj_prof_rec *r)
{
    mpj_thread_finish(r, r->since);
    memset(r->within, 0, sizeof(r->within));
    if (pt.rotates)
        mpj_slices_end(&r->rest->slices);
}

static void add_sum(struct mpj_prof_sum *to, const struct mpj_prof_sum *from)
{
    to->cycles += from->cycles;
    for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
        to->event[k] += from->event[k];
}

static void add_rest(struct mpj_prof_rest *to, const struct mpj_prof_rest *from)
{
    to->folded++;
    to->flags |= from->flags;
    if (strncmp(to->name, from->name, MPJ_PROF_NAME) != 0)
        memset(to->name, 0, MPJ_PROF_NAME);
    if (to->stack_bytes < from->stack_bytes)
        to->stack_bytes = from->stack_bytes;
    if (to->stack_used < from->stack_used)
        to->stack_used = from->stack_used;
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (unsigned f = 0; f < MPJ_PROF_FILLS; f++)
            to->fills[core][f] += from->fills[core][f];
    }
    for (unsigned i = 0; i + 1U < pt.pairs; i++)
        add_sum(&to->more[i], &from->more[i]);
    for (unsigned i = 0; pt.rotates && i < pt.pairs; i++)
        mpj_spread_join(&to->slices.spread[i], &from->slices.spread[i]);
}

/* Adds one record to another, whose life becomes the sum of its threads' lives. */
static void add(struct mpj_prof_rec *to, struct mpj_prof_rec *from)
{
    to->rest->other_lives += from->since - from->rest->created;
    to->ran += from->ran;
    to->block += from->block;
    to->sleep += from->sleep;
    to->host += from->host;
    to->at_barrier += from->at_barrier;
    to->kernel += from->kernel;
    to->switches += from->switches;
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        to->core_run[core] += from->core_run[core];
    add_sum(&to->sum, &from->sum);
    add_rest(to->rest, from->rest);
}

/* Frees a record for the next thread. Loops over all records find nothing in it. */
static void set_free(uint32_t i)
{
    struct mpj_prof_rec *const r = &mpj_prof_memory.rec[i];

    if (r->owner->rec == r)
        r->owner->rec = NULL;
    memset(&r->sum, 0, sizeof(r->sum));
    memset(r->rest->more, 0, (mpj_prof_pairs() - 1U) * sizeof(r->rest->more[0]));
    r->ran = 0;
    r->id = 0;
    r->since = pt.free;
    pt.free = i + 1U;
}

static uint32_t choose(void)
{
    const unsigned most = most_run();
    uint32_t n = 0;

    for (uint32_t i = 0; i < pt.used; i++) {
        uint16_t to;

        into[i] = NONE;
        if (class[i] == STAYS || class[i] > most)
            continue;
        to = sum_for(i);
        if (to == NONE || to == i)
            continue;
        into[i] = to;
        victims[n++] = (struct victim){mpj_prof_memory.rec[i].id, mpj_prof_memory.rec[to].id};
    }
    return n;
}

/* ---- waits ------------------------------------------------------------------------- */

static void sort(uint32_t n)
{
    for (uint32_t gap = n / 2U; gap > 0; gap /= 2U) {
        for (uint32_t i = gap; i < n; i++) {
            const struct victim v = victims[i];
            uint32_t k = i;

            for (; k >= gap && victims[k - gap].id > v.id; k -= gap)
                victims[k] = victims[k - gap];
            victims[k] = v;
        }
    }
}

/* Returns the id of the thread whose record now contains that of this one. */
static uint32_t thread_now(uint32_t n, uint32_t id)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2U;

        if (victims[middle].id < id)
            low = middle + 1U;
        else
            high = middle;
    }
    return low < n && victims[low].id == id ? victims[low].to : id;
}

static void move_waits(uint32_t n)
{
    for (uint32_t i = 0; i < pt.waits.used; i++) {
        struct mpj_wait_key *const key = &pt.waits.entry[i].key;
        const uint32_t to = thread_now(n, key->thread);

        if (to == key->thread)
            continue;
        key->thread = to & 0xffffffU;
        key->owner = thread_now(n, key->owner);
    }
    mpj_waits_join(&pt.waits);
}

/* ---- regions ------------------------------------------------------------------------ */

static struct mpj_region_entry *region_of(uint32_t fn, uint16_t owner)
{
    for (uint32_t i = 0; i < pt.regions.used; i++) {
        struct mpj_region_entry *const e = &pt.regions.entry[i];

        if (e->fn == fn && e->owner == owner)
            return e;
    }
    return NULL;
}

static void add_region(struct mpj_region_entry *to, const struct mpj_region_entry *from)
{
    const size_t a = (size_t)(to - pt.regions.entry), b = (size_t)(from - pt.regions.entry);

    to->calls += from->calls;
    for (unsigned i = 0; i < MPJ_USES; i++)
        to->use[i] += from->use[i];
    mpj_region_host[a] += mpj_region_host[b];
    for (unsigned i = 0; i + 1U < pt.pairs; i++)
        add_sum(&mpj_region_more[a][i], &mpj_region_more[b][i]);
}

static void move_regions(void)
{
    bool any = false;

    for (uint32_t i = 0; i < pt.regions.used; i++) {
        struct mpj_region_entry *const e = &pt.regions.entry[i];
        struct mpj_region_entry *have;

        if (e->fn == 0 || into[e->owner] == NONE)
            continue;
        any = true;
        have = region_of(e->fn, into[e->owner]);
        e->owner = into[e->owner];
        if (have != NULL) {
            add_region(have, e);
            mpj_regions_drop(&pt.regions, e);
        }
    }
    if (any)
        mpj_regions_index(&pt.regions);
}

void mpj_prof_fold(uint32_t next)
{
    const uint32_t n = choose();

    if (pt.crowd_from == 0)
        pt.crowd_from = next;
    if (n == 0)
        return;
    for (uint32_t i = 0; i < pt.used; i++) {
        if (into[i] != NONE && mpj_thread_rests[into[i]].folded == 0)
            finish(&mpj_prof_memory.rec[into[i]]);
        if (into[i] == NONE)
            continue;
        finish(&mpj_prof_memory.rec[i]);
        add(&mpj_prof_memory.rec[into[i]], &mpj_prof_memory.rec[i]);
    }
    sort(n);
    move_waits(n);
    move_regions();
    for (uint32_t i = 0; i < pt.used; i++) {
        if (into[i] != NONE)
            set_free(i);
    }
    mpj_prof_counts_again();
}

void mpj_prof_fold_reset(void)
{
    sums_used = 0;
}
