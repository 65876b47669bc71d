/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The course of a run in the emulator's profile: moments, waveforms of power, counts. */
#include <stdlib.h>

#include "mpj_wire.h"
#include "store/profile_bytes.h"
#include "store/profile_put.h"

__extension__ typedef __int128 wide;

struct times {
    struct import *m;
    uint64_t clock_hz, time_hz; /* of the file's times, and of the store's */
};

static uint64_t ticks(const struct times *p, uint64_t cycles)
{
    return (uint64_t)((wide)cycles * (wide)p->time_hz / (wide)p->clock_hz);
}

/* Returns the number of threads in the region's team; 0: not reported by the target. */
static int64_t team(const struct times *p, uint32_t fn)
{
    sqlite3_stmt *const s =
        store_statement(p->m, "SELECT max(size) FROM region WHERE pass=? AND (fn=?2 OR fn=?2 + 1)");
    int64_t size = 0;

    if (s == NULL)
        return 0;
    sqlite3_bind_int(s, 1, p->m->pass);
    sqlite3_bind_int64(s, 2, fn);
    if (sqlite3_step(s) == SQLITE_ROW)
        size = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return size;
}

/* Moments of all cores, by time. */
struct moments {
    struct profile_moment *at;
    size_t n, cap;
};

/* Appends a moment. False: out of memory. */
static bool add_moment(struct moments *all, struct profile_moment x)
{
    if (all->n == all->cap) {
        const size_t cap = all->cap > 0 ? 2 * all->cap : 1024;
        struct profile_moment *const more = realloc(all->at, cap * sizeof(*more));
        if (more == NULL)
            return false;
        all->at = more;
        all->cap = cap;
    }
    x.seq = (uint32_t)all->n;
    all->at[all->n++] = x;
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct profile_moment *const x = a;
    const struct profile_moment *const y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->seq < y->seq ? -1 : 1;
}

/* Adds marks, which are among the target's records. */
static int add_marks(const struct times *p, struct moments *all)
{
    sqlite3_stmt *const s =
        store_statement(p->m, "SELECT seq, time, core, thread FROM mark WHERE pass=?");
    bool fits = true;
    int step;

    if (s == NULL)
        return p->m->err->code;
    sqlite3_bind_int(s, 1, p->m->pass);
    while ((step = sqlite3_step(s)) == SQLITE_ROW && fits)
        fits = add_moment(all, (struct profile_moment){.time = (uint64_t)sqlite3_column_int64(s, 1),
                                                       .core = sqlite3_column_int64(s, 2),
                                                       .thread = sqlite3_column_int64(s, 3) > 0
                                                                     ? sqlite3_column_int64(s, 3)
                                                                     : PROFILE_NONE,
                                                       .kind = MPJ_MOMENT_MARK,
                                                       .object = sqlite3_column_int64(s, 0)});
    sqlite3_reset(s);
    if (!fits)
        return mpj_err_nomem(p->m->err);
    return step == SQLITE_DONE ? MPJ_E_OK : store_db_error(p->m);
}

static int read_moment(const struct times *p, struct profile_bytes *b, struct moments *all)
{
    struct profile_moment x = {.time = ticks(p, profile_take(b, 8))};
    const uint32_t kind = (uint32_t)profile_take(b, 4);

    x.core = (int64_t)profile_take(b, 4);
    x.thread = (int64_t)profile_take(b, 4);
    x.object = (int64_t)profile_take(b, 4);
    x.value = (int64_t)profile_take(b, 4);
    x.other = (int64_t)profile_take(b, 4);
    if (b->is_short || kind >= MPJ_MOMENT_KINDS)
        return profile_damaged(p->m, "a moment is cut off");
    x.kind = (enum mpj_moment_kind)kind;
    if (x.kind == MPJ_MOMENT_REGION_BEGIN)
        x.value = team(p, (uint32_t)x.object);
    if (x.kind == MPJ_MOMENT_WAITS && x.other == 0)
        x.other = PROFILE_NONE;
    if (x.thread == 0)
        x.thread = PROFILE_NONE;
    return add_moment(all, x) ? MPJ_E_OK : mpj_err_nomem(p->m->err);
}

static int put_moments(const struct times *p, struct profile_bytes b)
{
    struct moments all = {.n = 0};
    const uint64_t lost = profile_take(&b, 8);
    int result = MPJ_E_OK;

    if (b.is_short)
        return MPJ_E_OK; /* the section is empty */
    while (b.at < b.end && result == MPJ_E_OK)
        result = read_moment(p, &b, &all);
    if (result == MPJ_E_OK)
        result = add_marks(p, &all);
    if (all.n > 0)
        qsort(all.at, all.n, sizeof(*all.at), by_time);
    for (size_t i = 0; i < all.n && result == MPJ_E_OK; i++) {
        all.at[i].seq = (uint32_t)i;
        result = profile_moment(p->m, MPJ_PROF_TRUTH, &all.at[i]);
    }
    free(all.at);
    if (result == MPJ_E_OK && lost > 0)
        result = profile_lost(p->m, MPJ_PROF_TRUTH, lost);
    return result;
}

static int put_wave(struct times *p, struct profile_bytes b)
{
    const uint32_t core = (uint32_t)profile_take(&b, 4);
    (void)profile_take(&b, 4);
    const uint64_t time0 = ticks(p, profile_take(&b, 8));
    const uint64_t step = ticks(p, profile_take(&b, 8));
    size_t n = 0;
    uint64_t last = 0;
    struct mpj_reader r;
    uint64_t *fj;
    int result;

    for (const unsigned char *at = b.at; at < b.end; at++)
        n += *at < 0x80U;
    fj = malloc((n + 1) * sizeof(*fj));
    if (fj == NULL)
        return mpj_err_nomem(p->m->err);
    mpj_reader_init(&r, b.at, (size_t)(b.end - b.at));
    for (size_t i = 0; i < n; i++)
        fj[i] = last += (uint64_t)mpj_get_signed(&r);
    result = b.is_short || r.malformed || r.at != r.end || step == 0
                 ? profile_damaged(p->m, "a waveform is cut off")
                 : profile_wave(p->m, core == UINT32_MAX ? PROFILE_NONE : (int64_t)core, time0,
                                step, fj, n);
    free(fj);
    return result;
}

static int put_counts(struct times *p, struct profile_bytes b, const char *const *events)
{
    const uint32_t core = (uint32_t)profile_take(&b, 4);
    const uint32_t event = (uint32_t)profile_take(&b, 4);
    const uint64_t time0 = ticks(p, profile_take(&b, 8));
    const uint64_t step = ticks(p, profile_take(&b, 8));
    const size_t n = (size_t)(b.end - b.at) / 4;
    uint64_t *const counts = calloc(n + 1, sizeof(*counts));
    int result;

    if (counts == NULL)
        return mpj_err_nomem(p->m->err);
    for (size_t i = 0; i < n; i++)
        counts[i] = profile_take(&b, 4);
    result = b.is_short || step == 0 || event >= PROFILE_ITEMS_MAX || events[event] == NULL
                 ? profile_damaged(p->m, "counts over time are cut off")
                 : profile_counts(p->m, core, events[event], time0, step, counts, n);
    free(counts);
    return result;
}

/* Reads the ticks per second reported by the target. */
static int read_clock(struct times *p)
{
    sqlite3_stmt *const s = store_statement(p->m, "SELECT time_hz FROM pass WHERE id=?");
    int step;

    if (s == NULL)
        return p->m->err->code;
    sqlite3_bind_int(s, 1, p->m->pass);
    step = sqlite3_step(s);
    if (step == SQLITE_ROW)
        p->time_hz = (uint64_t)sqlite3_column_int64(s, 0);
    else if (step != SQLITE_DONE)
        store_db_error(p->m);
    sqlite3_reset(s);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return p->m->err->code;
    return p->time_hz > 0 && p->clock_hz > 0 ? MPJ_E_OK : profile_damaged(p->m, "it has no clock");
}

/* Reads one section for each core and event. */
static int put_all_counts(struct times *p, const struct profile_bytes *file)
{
    const struct profile_bytes names_at = profile_section(file, "WITM");
    const char *events[PROFILE_ITEMS_MAX] = {NULL};
    struct profile_bytes rest = *file;
    int result = MPJ_E_OK;

    if (!names_at.is_short && !profile_names(names_at, events))
        return profile_damaged(p->m, "events over time have no names");
    while (result == MPJ_E_OK) {
        const struct profile_bytes counts = profile_section(&rest, "WCNT");
        if (counts.is_short)
            break;
        result = put_counts(p, counts, events);
        rest.at = counts.end - 16;
    }
    return result;
}

int profile_times(struct import *m, const struct profile_bytes *file, uint64_t clock_hz)
{
    struct times times = {.m = m, .clock_hz = clock_hz};
    struct times *const p = &times;
    struct profile_bytes rest = *file;
    int result = read_clock(p);

    if (result == MPJ_E_OK)
        result = put_moments(p, profile_section(file, "MOMT"));
    while (result == MPJ_E_OK) { /* one for each core */
        const struct profile_bytes wave = profile_section(&rest, "WAVE");
        if (wave.is_short)
            break;
        result = put_wave(p, wave);
        rest.at = wave.end - 16; /* start of the section with its header */
    }
    return result == MPJ_E_OK ? put_all_counts(p, file) : result;
}
