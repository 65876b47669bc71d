/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the decisions of the controller from a store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/adapted.h"
#include "report/profile.h"
#include "report/store.h"
#include "report_int.h"

struct reading {
    struct mpj_adapted *a;
    size_t room;
    double hz; /* of the pass's clock */
    struct mpj_err *err;
};

/* Returns the region's number; a new one at its first execution. -1: out of memory. */
static int number_of(struct reading *c, uint32_t region, sqlite3_stmt *s)
{
    struct mpj_adapted *const a = c->a;
    struct mpj_adapted_region *more;

    for (unsigned i = 0; i < a->regions; i++) {
        if (a->region[i].region == region)
            return (int)i;
    }
    more = realloc(a->region, (a->regions + 1U) * sizeof(*more));
    if (more == NULL)
        return -1;
    a->region = more;
    more[a->regions] = (struct mpj_adapted_region){.region = region,
                                                   .function = mpj_sql_text(s, 15),
                                                   .file = mpj_sql_text(s, 16),
                                                   .line = sqlite3_column_int(s, 17)};
    return (int)a->regions++;
}

static double or_nan(sqlite3_stmt *s, int column, double unit)
{
    const int64_t v = sqlite3_column_int64(s, column);

    return v != 0 ? (double)v * unit : (double)NAN;
}

static int on_run(void *ctx, sqlite3_stmt *s)
{
    struct reading *const c = ctx;
    const double hz = (double)sqlite3_column_int64(s, 14);
    const double tick = 1.0 / hz;
    struct mpj_adapted_run *run;
    int number;

    c->hz = hz;
    if (c->a->runs == c->room) {
        const size_t room = c->room > 0 ? 2 * c->room : 256;
        struct mpj_adapted_run *const more = realloc(c->a->run, room * sizeof(*more));
        if (more == NULL)
            return mpj_err_nomem(c->err);
        c->a->run = more;
        c->room = room;
    }
    number = number_of(c, (uint32_t)sqlite3_column_int64(s, 0), s);
    if (number < 0)
        return mpj_err_nomem(c->err);
    run = &c->a->run[c->a->runs++];
    *run = (struct mpj_adapted_run){
        .region = (uint32_t)sqlite3_column_int64(s, 0),
        .number = (unsigned)number,
        .time_s = (double)sqlite3_column_int64(s, 1) * tick,
        .s = (double)sqlite3_column_int64(s, 2) * tick,
        .threads = (unsigned)sqlite3_column_int(s, 3),
        .most = (unsigned)sqlite3_column_int(s, 4),
        .why = (unsigned)sqlite3_column_int(s, 5),
        .believed_s = or_nan(s, 6, 1e-9),
        .believed_mw = or_nan(s, 7, 1e-3),
        .mw = or_nan(s, 8, 1e-3),
        .true_mw = (double)NAN,
        .samples = (unsigned)sqlite3_column_int(s, 9),
        .elapsed = (double)sqlite3_column_int64(s, 10),
        .cycles = or_nan(s, 11, 1.0),
    };
    for (int i = 0; i < (int)MPJ_PMU_COUNTERS; i++)
        run->event[i] = isnan(run->cycles) ? (double)NAN : (double)sqlite3_column_int64(s, 12 + i);
    return MPJ_E_OK;
}

/* ---- true power ------------------------------------------------------------------------ */

/* The part of the waveform within one execution. */
struct drawn {
    double begin, end; /* ticks */
    double fj;         /* of the chip and its cores */
    double covered;    /* ticks, by the chip's own waveform */
};

struct integral {
    struct drawn *run;
    size_t runs;
};

/* Adds a step, spread evenly over its time, to the executions in proportion to their overlap. */
static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    const struct integral *const c = ctx;
    const double begin = (double)time;
    const double end = begin + (double)step;
    size_t low = 0;
    size_t high = c->runs;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->run[middle].end > begin)
            high = middle;
        else
            low = middle + 1;
    }
    for (size_t i = low; i < c->runs && c->run[i].begin < end; i++) {
        struct drawn *const d = &c->run[i];
        const double within = fmin(end, d->end) - fmax(begin, d->begin);
        if (within > 0) {
            d->fj += (double)fj * within / (double)step;
            d->covered += core == MPJ_PROF_NONE ? within : 0;
        }
    }
    return MPJ_E_OK;
}

/* Sets the true power. Executions follow each other: adapted regions are not nested. In a store
 * where they are, they have no true power. */
static int true_power(struct reading *c, const char *store)
{
    struct mpj_adapted *const a = c->a;
    struct integral all = {.run = calloc(a->runs + 1, sizeof(*all.run)), .runs = a->runs};
    bool in_order = true;
    int result = MPJ_E_OK;

    if (all.run == NULL)
        return mpj_err_nomem(c->err);
    for (size_t i = 0; i < a->runs; i++) {
        struct drawn *const d = &all.run[i];
        d->begin = a->run[i].time_s * c->hz;
        d->end = d->begin + a->run[i].s * c->hz;
        in_order = in_order && (i == 0 || d->begin >= d[-1].end - 0.5);
    }
    if (in_order)
        result = mpj_wave(store, on_step, &all, c->err);
    for (size_t i = 0; i < a->runs; i++) {
        const struct drawn *const d = &all.run[i];
        const double ticks = d->end - d->begin;
        if (ticks > 0 && d->covered > ticks - 0.5)
            a->run[i].true_mw = d->fj * 1e-12 / (ticks / c->hz);
    }
    free(all.run);
    return result;
}

int mpj_adapted_load(struct mpj_adapted *out, const char *store, unsigned pass, struct mpj_err *err)
{
    char sql[600];
    const struct mpj_sql_step step = {sql, on_run};
    struct reading c = {.a = out, .err = err};
    sqlite3 *db = NULL;
    unsigned version = 0;
    int result;

    *out = (struct mpj_adapted){0};
    snprintf(
        sql, sizeof(sql),
        "SELECT a.region, a.time - ifnull(p.time_begin, 0), a.ticks, a.threads, a.most, a.why, "
        "a.believed_ns, a.believed_uw, a.uw, a.samples, a.elapsed, a.cycles, a.event0, a.event1, "
        "p.time_hz, l.function, l.file, l.line FROM adapt a JOIN pass p ON p.id = a.pass "
        "LEFT JOIN place l ON l.address = a.region WHERE a.pass = %u ORDER BY a.seq",
        pass);
    result = run_store_open(&db, store, &version, err);
    if (result == MPJ_E_OK && version >= MPJ_STORE_TIMES)
        result = mpj_sql_steps(db, store, &step, 1, &c, err);
    sqlite3_close(db);
    if (result == MPJ_E_OK && pass == 0 && out->runs > 0)
        result = true_power(&c, store);
    return result;
}

void mpj_adapted_free(struct mpj_adapted *a)
{
    for (unsigned i = 0; i < a->regions; i++) {
        free(a->region[i].function);
        free(a->region[i].file);
    }
    free(a->region);
    free(a->run);
    *a = (struct mpj_adapted){0};
}
