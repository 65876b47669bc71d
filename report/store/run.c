/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "report/store.h"
#include "report_int.h"
#include "store/energy_int.h"
#include "store/machine_int.h"
#include "store/profile_int.h"
#include "store/settings.h"

int mpj_event_index(const char *name)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    const struct mpj_event_info *const e = mpj_event_by_name(name, strlen(name));

    return e == NULL ? -1 : (int)(e - table);
}

struct mpj_value mpj_core_value(const struct mpj_core_result *core, const char *name)
{
    const int i = mpj_event_index(name);
    const struct mpj_value absent = {.present = false};

    return i < 0 ? absent : core->ev[i];
}

void mpj_run_columns(struct mpj_run *run, const bool *used)
{
    run->columns = 0;
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
        run->column[i] = used == NULL || used[i] ? (uint8_t)++run->columns : 0;
}

struct mpj_value mpj_run_value(const struct mpj_run *run, const struct mpj_value *ev, int index)
{
    const unsigned column = run->column[index];

    return column > 0 && ev != NULL ? ev[column - 1U] : (struct mpj_value){.present = false};
}

void mpj_run_values(const struct mpj_run *run, const struct mpj_value *ev, struct mpj_value *out)
{
    for (int i = 0; i < (int)MPJ_RUN_EVENTS_MAX; i++)
        out[i] = mpj_run_value(run, ev, i);
}

struct mpj_value mpj_run_total(const struct mpj_run *run, int index)
{
    struct mpj_value sum = {.coverage = 1.0};
    double off = 0.0; /* turns are simultaneous on all cores: their errors are correlated */

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const struct mpj_value *const v = &run->core[k].ev[index];
        if (!run->core[k].present || !v->present)
            continue;
        sum.present = true;
        sum.value += v->value;
        off += v->value > 0 ? v->error * (double)v->value : 0.0;
        if (v->coverage < sum.coverage)
            sum.coverage = v->coverage;
    }
    sum.error = sum.coverage >= 1.0 ? 0.0 : sum.value > 0 ? off / (double)sum.value : NAN;
    return sum;
}

unsigned mpj_run_cores(const struct mpj_run *run)
{
    return run->cores > 0 && run->cores < MPJ_CORES_MAX ? run->cores : MPJ_CORES_MAX;
}

const struct mpj_rail *mpj_run_rail(const struct mpj_run *run, const char *name)
{
    const int i = mpj_supply_index(&run->supplies, name);

    return i >= 0 ? &run->rail[i] : NULL;
}

/* ---- reading the store ------------------------------------------------------ */

static bool null(sqlite3_stmt *s, int i)
{
    return sqlite3_column_type(s, i) == SQLITE_NULL;
}

static int on_meta(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;
    const struct {
        const char *key;
        char **field;
    } known[] = {
        {"target", &run->target},
        {"program", &run->program},
        {"firmware_sha256", &run->firmware_sha256},
        {"calibration", &run->calibration},
        {"quantum", &run->quantum},
        {"seed", &run->seed},
        {"arguments", &run->arguments},
        {"version", &run->version},
        {"compiler", &run->compiler},
        {"runtime_sha256", &run->runtime_sha256},
        {"emulator_sha256", &run->emulator_sha256},
        {"calibration_sha256", &run->calibration_sha256},
        {"predictor_sha256", &run->predictor_sha256},
    };
    const char *const key = (const char *)sqlite3_column_text(s, 0);

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(key, known[i].key) == 0 && *known[i].field == NULL)
            *known[i].field = mpj_sql_text(s, 1);
    }
    if (sqlite3_column_type(s, 1) != SQLITE_TEXT)
        return MPJ_E_OK;
    if (strcmp(key, RUN_METER_SUM) == 0)
        snprintf(l->meter, sizeof(l->meter), "%s", (const char *)sqlite3_column_text(s, 1));
    bare_label(run, key, (const char *)sqlite3_column_text(s, 1));
    return mpj_given_label(&run->given, key, (const char *)sqlite3_column_text(s, 1), l->err);
}

static int outcome(sqlite3_stmt *pass)
{
    return null(pass, 8) ? MPJ_E_LOG : sqlite3_column_int(pass, 8);
}

static int on_pass(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;

    run->passes++;
    if (sqlite3_column_int(s, 0) != 0) {
        /* a later pass that failed, or was cut off, makes the run a failed one */
        if (run->outcome == MPJ_E_OK && outcome(s) != MPJ_E_OK) {
            run->outcome = outcome(s);
            run->message = mpj_sql_text(s, 9);
        }
        return MPJ_E_OK;
    }
    run->cores = (unsigned)sqlite3_column_int(s, 1);
    run->clock_hz = (uint32_t)sqlite3_column_int64(s, 2);
    run->time_hz = (uint32_t)sqlite3_column_int64(s, 3);
    run->cores_mask = (uint32_t)sqlite3_column_int64(s, 4);
    l->begun = !null(s, 5);
    l->begin = sqlite3_column_int64(s, 5);
    run->complete = !null(s, 5) && !null(s, 6) && run->time_hz > 0;
    if (run->complete)
        run->time_s = (double)(sqlite3_column_int64(s, 6) - sqlite3_column_int64(s, 5)) /
                      (double)run->time_hz;
    run->have_exit = !null(s, 7);
    run->exit_status = sqlite3_column_int(s, 7);
    run->outcome = outcome(s);
    run->message = mpj_sql_text(s, 9);
    run->dropped = (uint64_t)sqlite3_column_int64(s, 10);
    return MPJ_E_OK;
}

static int on_settings(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;

    for (unsigned i = 0; i < setting_count; i++)
        *setting_in(l->run, &settings[i]) = (uint32_t)sqlite3_column_int64(s, (int)i);
    return MPJ_E_OK;
}

/* Loads the settings that the first pass had. */
static int load_settings(struct loader *l)
{
    char *const columns = setting_columns("", l->version);
    char *sql = NULL;
    struct mpj_sql_step step = {NULL, on_settings};
    int result;

    if (columns == NULL || asprintf(&sql, "SELECT %s FROM pass WHERE id = 0", columns) < 0) {
        free(columns);
        return mpj_err_nomem(l->err);
    }
    step.sql = sql;
    result = mpj_sql_steps(l->db, l->path, &step, 1, l, l->err);
    free(sql);
    free(columns);
    return result;
}

static int on_core(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    const int k = sqlite3_column_int(s, 0); /* check.c: other cores are rejected */
    struct mpj_core_result *const core = &l->run->core[k];

    core->present = true;
    core->cycles = (uint64_t)sqlite3_column_int64(s, 1);
    core->have_wfi = !null(s, 2);
    core->wfi_cycles = (uint64_t)sqlite3_column_int64(s, 2);
    core->inexact = sqlite3_column_int(s, 3) != 0;
    if (core->cycles > l->run->cycles)
        l->run->cycles = core->cycles;
    return MPJ_E_OK;
}

/* Scales a count to the whole time; the result is limited to the maximum of a counter. */
static uint64_t scaled(uint64_t value, double coverage)
{
    const double v = (double)value / coverage + 0.5;

    return v < 0x1p63 ? (uint64_t)v : UINT64_C(1) << 63;
}

struct mpj_value run_value(uint64_t value, double active, double length)
{
    struct mpj_value v = {.present = true,
                          .value = value,
                          .coverage = length > 0 && active < length ? active / length : 1.0};

    /* reading all counters takes a moment: a per mille of the run is not multiplexing */
    if (v.coverage > 0.999)
        v.coverage = 1.0;
    if (v.coverage > 0.0 && v.coverage < 1.0)
        v.value = scaled(value, v.coverage);
    if (v.coverage < 1.0)
        v.error = NAN;            /* until the variation of its turns is known */
    v.present = v.coverage > 0.0; /* it never had a turn */
    return v;
}

int run_event(const struct loader *l, sqlite3_stmt *s, int column)
{
    const char *const name = (const char *)sqlite3_column_text(s, column);
    const int i = name != NULL ? mpj_event_index(name) : -1;

    if (i < 0)
        mpj_err_set(l->err, MPJ_E_STORE, "%s counts an unknown event \"%s\"", l->path,
                    name != NULL ? name : "");
    return i;
}

/* True for a per-core event of the SCU, of a core that this chip does not have. */
static bool of_absent_core(const struct mpj_run *run, int index)
{
    const struct mpj_event_info *const e = &mpj_event_table(&(size_t){0})[index];
    const uint32_t first =
        MPJ_EVENT_SCU_MISS_CPU0; /* three kinds for each core, one after the other */

    return e->source == MPJ_SOURCE_SCU && e->number >= first &&
           e->number < first + 3 * MPJ_CORES_MAX &&
           (e->number - first) % MPJ_CORES_MAX >= mpj_run_cores(run);
}

/* Takes core, event, value, active, length of the pass, pass; in the order of the passes. */
static int on_counter(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    const int k = sqlite3_column_int(s, 0);
    const int i = run_event(l, s, 1);
    const uint64_t value = (uint64_t)sqlite3_column_int64(s, 2);
    const double active = (double)sqlite3_column_int64(s, 3);
    const double length = (double)sqlite3_column_int64(s, 4);
    struct mpj_value *v;

    if (i < 0)
        return l->err->code;
    if (k >= (int)MPJ_CORES_MAX || of_absent_core(l->run, i))
        return MPJ_E_OK; /* a larger chip's core, or the SCU's count of a core that does not exist
                          */
    v = k < 0 ? &l->run->chip[i] : &l->run->core[k].ev[i];
    if (v->present)
        return MPJ_E_OK; /* the first pass that counted it */
    *v = run_value(value, active, length);
    if (k >= 0 && !v->present)
        l->run->uncounted[i] = true;
    v->pass = (unsigned)sqlite3_column_int64(s, 5);
    return MPJ_E_OK;
}

unsigned mpj_run_uncounted(const struct mpj_run *run, unsigned *requested)
{
    unsigned n = 0;

    *requested = 0;
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++) {
        n += run->uncounted[i];
        *requested +=
            run->uncounted[i] || run->chip[i].present || mpj_run_total(run, (int)i).present;
    }
    return n;
}

/* Adds requested events without a counter: multiplexing has a limit of pairs. Removes those that
 * another core or pass counted. */
static void find_uncounted(struct mpj_run *run)
{
    const char *const asked = mpj_given_option(&run->given, "events");
    const bool all = mpj_given_option(&run->given, "all-events") != NULL;
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    if (!run->complete || mpj_given_option(&run->given, "rotate") == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        const bool counted = run->chip[i].present || mpj_run_total(run, (int)i).present;
        const size_t length = strlen(table[i].name);
        run->uncounted[i] = run->uncounted[i] || (all && !of_absent_core(run, (int)i));
        for (const char *at = asked; at != NULL && !run->uncounted[i];) {
            at = strncmp(at, table[i].name, length) == 0 && (at[length] == ',' || !at[length])
                     ? (run->uncounted[i] = true, NULL)
                     : strchr(at, ',');
            at += at != NULL;
        }
        run->uncounted[i] = run->uncounted[i] && !counted;
    }
}

static int on_truth(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    return truth_parse(l->run, (const char *)sqlite3_column_text(s, 0), l->err);
}

static int on_fault(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_run *const run = l->run;

    run->have_fault = true;
    run->fault_kind = (uint32_t)sqlite3_column_int64(s, 0);
    run->fault_core = (uint32_t)sqlite3_column_int64(s, 1);
    run->fault_thread = (uint32_t)sqlite3_column_int64(s, 2);
    run->fault_cpsr = (uint32_t)sqlite3_column_int64(s, 3);
    run->fault_dfsr = (uint32_t)sqlite3_column_int64(s, 4);
    run->fault_dfar = (uint32_t)sqlite3_column_int64(s, 5);
    run->fault_ifsr = (uint32_t)sqlite3_column_int64(s, 6);
    run->fault_ifar = (uint32_t)sqlite3_column_int64(s, 7);
    run->fault_regs = mpj_sql_text(s, 8);
    return MPJ_E_OK;
}

static int on_error(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    l->run->error_code = (uint32_t)sqlite3_column_int64(s, 0);
    l->run->error_text = mpj_sql_lines(s, 1);
    return MPJ_E_OK;
}

static int on_frame(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_frame_line *const f = &l->run->frame[l->run->frames];

    if (l->run->frames == MPJ_RUN_FRAMES_MAX)
        return MPJ_E_OK;
    f->address = (uint32_t)sqlite3_column_int64(s, 0);
    f->function = mpj_sql_text(s, 1);
    f->offset = (uint32_t)sqlite3_column_int64(s, 2);
    f->file = mpj_sql_text(s, 3);
    f->line = sqlite3_column_int(s, 4);
    f->depth = (uint32_t)sqlite3_column_int64(s, 5);
    l->run->frames++;
    return MPJ_E_OK;
}

static int on_chain(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;

    l->run->chain_end = (unsigned)sqlite3_column_int64(s, 0);
    l->run->chain_gap_depth = (uint32_t)sqlite3_column_int64(s, 1);
    l->run->chain_gap_bytes = (uint32_t)sqlite3_column_int64(s, 2);
    return MPJ_E_OK;
}

/* ---- ADC -------------------------------------------------------------------- */

struct adc_sum {
    double time; /* seconds, sum of the weights */
    double v[TILE_POWER_MAX], i[TILE_POWER_MAX], power[TILE_POWER_MAX]; /* integrals over time */
};

static void add_sample(struct adc_sum *sum, const struct mpj_supplies *of,
                       const double code[TILE_POWER_MAX], double seconds)
{
    double uv[TILE_POWER_MAX];
    double ua[TILE_POWER_MAX];
    double pw[TILE_POWER_MAX];

    mpj_supply_values(of, code, uv, ua, pw);
    sum->time += seconds;
    for (unsigned k = 0; k < of->count; k++) {
        sum->v[k] += uv[k] * seconds;
        sum->i[k] += ua[k] * seconds;
        sum->power[k] += pw[k] * seconds;
    }
}

static struct mpj_rail rail(const struct adc_sum *sum, unsigned k)
{
    return (struct mpj_rail){sum->v[k] / sum->time, sum->i[k] / sum->time,
                             sum->power[k] / MPJ_PW_PER_UW};
}

/*
 * Reads the ADC. A sample represents the time that is nearer to it than to its neighbours, cut at
 * the ends of the run; the weights add up to the run's length. For equal steps this is Ts * sum(V *
 * I) with exact ends.
 */
static int load_adc(struct loader *l)
{
    char sql[400];
    struct mpj_run *const run = l->run;
    struct adc_sum sum = {0};
    sqlite3_stmt *s = NULL;
    double code[TILE_POWER_MAX] = {0};
    double at = 0.0;   /* time of the sample in code */
    double from = 0.0; /* start of its share */
    double end = 0.0;
    int64_t first = 0;
    int64_t last = 0;
    int step;

    if (run->supplies.count == 0)
        return MPJ_E_OK;
    snprintf(sql, sizeof(sql),
             "SELECT time - time_begin, ifnull(time_end, %" PRId64 ") - time_begin, idx, %s "
             "FROM adc, pass WHERE adc.pass = 0 AND id = 0 "
             "AND time BETWEEN time_begin AND ifnull(time_end, %" PRId64 ") ORDER BY time",
             l->end, energy_columns(l->version), l->end);
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK)
        return mpj_sql_error(l->db, l->path, l->err);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        const double time = (double)sqlite3_column_int64(s, 0);
        if (run->adc_samples == 0) {
            first = sqlite3_column_int64(s, 2);
            end = (double)sqlite3_column_int64(s, 1);
        } else {
            const double half = (at + time) / 2.0;
            add_sample(&sum, &run->supplies, code, (half - from) / run->time_hz);
            from = half;
        }
        at = time;
        last = sqlite3_column_int64(s, 2);
        for (int k = 0; k < TILE_POWER_MAX; k++)
            code[k] = sqlite3_column_int(s, 3 + k);
        run->adc_samples++;
    }
    if (step != SQLITE_DONE) {
        sqlite3_finalize(s);
        return mpj_sql_error(l->db, l->path, l->err);
    }
    sqlite3_finalize(s);
    if (run->adc_samples == 0 || !(run->complete || run->partial) || end <= 0.0)
        return MPJ_E_OK;
    add_sample(&sum, &run->supplies, code, (end - from) / run->time_hz);
    run->have_adc = true;
    run->adc_lost = (unsigned)(last - first + 1) - run->adc_samples;
    for (unsigned k = 0; k < run->supplies.count; k++)
        run->rail[k] = rail(&sum, k);
    run->processor = run->rail[0];
    return MPJ_E_OK;
}

static int on_unlike(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;

    l->run->alike = sqlite3_column_int64(s, 0) == 0;
    return MPJ_E_OK;
}

/* ---- */

static int load(struct loader *l)
{
    static const struct mpj_sql_step steps[] = {
        {"SELECT key, value FROM meta ORDER BY key", on_meta},
        {"SELECT id, cores, clock_hz, time_hz, cores_mask, time_begin, time_end, "
         "exit_status, outcome, message, dropped FROM pass ORDER BY id",
         on_pass},
        {"SELECT core, cycles, wfi_cycles, inexact FROM core WHERE pass = 0 ORDER BY core",
         on_core},
        {"SELECT count(*) FROM core c JOIN core f ON f.pass = 0 AND f.core = c.core "
         "WHERE c.cycles <> f.cycles OR c.wfi_cycles IS NOT f.wfi_cycles",
         on_unlike},
        {"SELECT c.core, c.event, c.value, c.active, p.time_end - p.time_begin, c.pass "
         "FROM counter c "
         "JOIN pass p ON p.id = c.pass ORDER BY c.pass, c.source, c.core, c.event",
         on_counter},
        {"SELECT json FROM truth WHERE pass = 0", on_truth},
        {"SELECT kind, core, thread, cpsr, dfsr, dfar, ifsr, ifar, regs FROM fault "
         "ORDER BY pass LIMIT 1",
         on_fault},
        {"SELECT address, function, offset, file, line, depth FROM frame "
         "WHERE pass = (SELECT min(pass) FROM frame) ORDER BY depth",
         on_frame},
        {"SELECT code, text FROM error ORDER BY pass, seq LIMIT 1", on_error},
    };

    static const struct mpj_sql_step since_7 = {
        "SELECT ending, gap_depth, gap_bytes FROM chain WHERE pass = (SELECT min(pass) FROM chain)",
        on_chain};

    if (mpj_sql_steps(l->db, l->path, steps, sizeof(steps) / sizeof(steps[0]), l, l->err) !=
            MPJ_E_OK ||
        load_settings(l) != MPJ_E_OK)
        return l->err->code;
    mpj_given_end(&l->run->given);
    if (l->version >= MPJ_STORE_CHAIN &&
        mpj_sql_steps(l->db, l->path, &since_7, 1, l, l->err) != MPJ_E_OK)
        return l->err->code;
    if (machine_load(&l->run->machine, &l->run->machine_stated, l->db, l->path, l->version,
                     l->err) != MPJ_E_OK)
        return l->err->code;
    mpj_supplies_of(&l->run->machine, &l->run->supplies);
    find_uncounted(l->run);
    if (run_partial(l) != MPJ_E_OK || run_load_marks(l) != MPJ_E_OK)
        return l->err->code;
    if (run_load_threads(l) != MPJ_E_OK || rotation_load(l) != MPJ_E_OK ||
        load_adc(l) != MPJ_E_OK || run_load_meter(l) != MPJ_E_OK)
        return l->err->code;
    run_attribute(l->run);
    return l->version >= MPJ_STORE_PROFILE
               ? profile_read(&l->run->profile, l->db, l->path, MPJ_PROF_SOURCES, l->err)
               : MPJ_E_OK;
}

const struct mpj_sql_kind run_store_kind = {MPJ_STORE_APPLICATION_ID, "store",
                                            "a run recorded by mpjoule", MPJ_STORE_OLDEST,
                                            MPJ_STORE_VERSION};

typedef int open_store(sqlite3 **db, const char *path, unsigned *version, struct mpj_err *err);

static int load_store(struct mpj_run **out, const char *path, open_store *open, struct mpj_err *err)
{
    struct loader l = {.path = path, .err = err};
    int result;

    *out = NULL;
    l.run = calloc(1, sizeof(*l.run));
    if (l.run == NULL)
        return mpj_err_nomem(err);
    result = open(&l.db, path, &l.version, err);
    if (result == MPJ_E_OK)
        result = load(&l);
    sqlite3_close(l.db);
    if (result != MPJ_E_OK) {
        mpj_run_free(l.run);
        return result;
    }
    *out = l.run;
    return MPJ_E_OK;
}

int mpj_run_load(struct mpj_run **out, const char *path, struct mpj_err *err)
{
    return load_store(out, path, run_store_open, err);
}

static int open_built(sqlite3 **db, const char *path, unsigned *version, struct mpj_err *err)
{
    *version = MPJ_STORE_VERSION;
    return mpj_sql_open(db, path, &run_store_kind, NULL, err);
}

int mpj_run_load_built(struct mpj_run **out, const char *path, struct mpj_err *err)
{
    return load_store(out, path, open_built, err);
}

void mpj_run_free(struct mpj_run *run)
{
    if (run == NULL)
        return;
    free(run->target);
    free(run->program);
    free(run->firmware_sha256);
    free(run->compiler);
    free(run->runtime_sha256);
    free(run->emulator_sha256);
    free(run->calibration_sha256);
    free(run->predictor_sha256);
    mpj_given_free(&run->given);
    free(run->calibration);
    free(run->quantum);
    free(run->seed);
    free(run->arguments);
    free(run->version);
    free(run->message);
    free(run->fault_regs);
    free(run->error_text);
    for (unsigned i = 0; i < run->frames; i++) {
        free(run->frame[i].function);
        free(run->frame[i].file);
    }
    run_free_threads(run);
    run_free_marks(run);
    free(run->truth.thread);
    mpj_profile_free(run->profile);
    free(run);
}
