/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sql.h"
#include "dataset_int.h"

#define UW_PER_MW 1e3

/* Sums over the passes of a program. */
struct tally {
    unsigned made; /* without failure */
    unsigned with_adc;
    double power, power2, pll; /* mW; its square */
    bool unlike;           /* a core took more or fewer cycles in another pass than in the first */
    bool *pass;            /* passes made */
    double *time;          /* their lengths in seconds */
    double *thread_cycles; /* by pass, then thread; NULL: unknown */
    char failure[200];     /* line of the first failure */
    unsigned failure_pass;
};

struct loader {
    sqlite3 *db;
    const char *path;
    struct mpj_dataset *ds;
    struct tally *tally;
    int version;
    struct mpj_err *err;
};

static int damaged(struct loader *l, const char *what)
{
    return mpj_err_set(l->err, MPJ_E_STORE, "%s is damaged: %s", l->path, what);
}

static int no_memory(struct loader *l)
{
    return mpj_err_nomem(l->err);
}

static const struct mpj_sql_rule rules[] = {
    {"meta", MPJ_SQL_TEXT, false, "key, value", NULL},
    {"program", MPJ_SQL_WORD, false, "id, threads", NULL},
    {"program", MPJ_SQL_TEXT, false, "name, family, description", NULL},
    {"run", MPJ_SQL_WORD, false, "program, pass, tries", NULL},
    {"run", MPJ_SQL_INTEGER, false, "outcome", NULL},
    {"run", MPJ_SQL_TEXT, true, "message", NULL},
    {"run", MPJ_SQL_FIGURE, true, "time_s, clock_hz, v_avg_uv, i_avg_ua, energy_uj, pll_energy_uj",
     NULL},
    {"run", MPJ_SQL_WORD, true, "cores_mask, adc_samples", NULL},
    {"core", MPJ_SQL_COUNT, false, "program, pass, core, cycles", NULL},
    {"core", MPJ_SQL_COUNT, true, "wfi_cycles", NULL},
    {"core", MPJ_SQL_NEVER, false, "wfi_cycles > cycles",
     "'core ' || core || ' waited for ' || wfi_cycles || ' of ' || cycles || ' cycles'"},
    {"observation", MPJ_SQL_COUNT, false, "program, pass, value", NULL},
    {"observation", MPJ_SQL_INTEGER, false, "scope", NULL},
    {"observation", MPJ_SQL_TEXT, false, "event", NULL},
    {"truth", MPJ_SQL_INTEGER, false, "program, scope", NULL},
    {"truth", MPJ_SQL_FIGURE, false, "window_s, energy_uj", NULL},
};
static const struct mpj_sql_rule thread_rules[] = {
    /* since version 2 */
    {"thread", MPJ_SQL_WORD, false, "program, id", NULL},
    {"thread", MPJ_SQL_COUNT, false, "cycles", NULL},
    {"thread", MPJ_SQL_FIGURE, false, "run_s, core0, core1, core2, core3", NULL},
    {"thread_observation", MPJ_SQL_COUNT, false, "program, thread, pass, value", NULL},
    {"thread_observation", MPJ_SQL_TEXT, false, "event", NULL},
    {"thread_truth", MPJ_SQL_COUNT, false, "program, thread, cycles", NULL},
    {"thread_truth", MPJ_SQL_FIGURE, false, "energy_uj", NULL},
};

int dataset_check(sqlite3 *db, const char *path, int version, struct mpj_err *err)
{
    static const char is[] = "is damaged";

    if (mpj_sql_whole(db, path, is, err) != MPJ_E_OK ||
        mpj_sql_rules(db, path, is, rules, sizeof(rules) / sizeof(rules[0]), err) != MPJ_E_OK)
        return err->code;
    return version < 2 ? MPJ_E_OK
                       : mpj_sql_rules(db, path, is, thread_rules,
                                       sizeof(thread_rules) / sizeof(thread_rules[0]), err);
}

static char *column(sqlite3_stmt *s, int i)
{
    const char *const text = (const char *)sqlite3_column_text(s, i);

    char *const copy = strdup(text != NULL ? text : "");

    if (copy != NULL)
        mpj_text_clean(copy);
    return copy;
}

/* Returns the program a row belongs to; NULL: no program of that number. */
static struct mpj_dataset_program *program_of(struct loader *l, sqlite3_stmt *s)
{
    const int64_t id = sqlite3_column_int64(s, 0);

    return id >= 0 && (uint64_t)id < l->ds->programs ? &l->ds->program[id] : NULL;
}

static struct tally *tally_of(struct loader *l, const struct mpj_dataset_program *p)
{
    return &l->tally[p - l->ds->program];
}

/* ---- rows ------------------------------------------------------------------- */

static int on_meta(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset *const ds = l->ds;
    const char *const key = (const char *)sqlite3_column_text(s, 0);
    const char *const value = (const char *)sqlite3_column_text(s, 1);
    const struct {
        const char *key;
        char **text;
    } texts[] = {
        {"kind", &ds->kind},
        {"target", &ds->target},
        {"calibration", &ds->calibration},
        {"firmware_sha256", &ds->firmware_sha256},
        {"version", &ds->version},
        {"meter", &ds->meter},
    };

    if (key == NULL || value == NULL)
        return damaged(l, "a label is empty");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(key, texts[i].key) != 0)
            continue;
        if (*texts[i].text != NULL)
            return damaged(l, "a label occurs twice");
        if ((*texts[i].text = mpj_sql_text(s, 1)) == NULL)
            return no_memory(l);
    }
    if (strcmp(key, "generator_seed") == 0)
        ds->generator_seed = strtoull(value, NULL, 10);
    else if (strcmp(key, "noise_seed") == 0)
        ds->noise_seed = strtoull(value, NULL, 10);
    else if (strcmp(key, "quantum") == 0)
        ds->quantum = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "sample_us") == 0)
        ds->sample_us = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "passes") == 0)
        ds->passes = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(key, "cores") == 0)
        ds->cores = (unsigned)strtoul(value, NULL, 10);
    return MPJ_E_OK;
}

static int on_count(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    const int64_t n = sqlite3_column_int64(s, 0);

    if (n > 0 && sqlite3_column_int64(s, 1) != n - 1)
        return damaged(l, "its programs are not numbered from 0");
    if (l->ds->passes == 0 || l->ds->passes > MPJ_DATASET_EVENTS)
        return damaged(l, "the number of passes of a program is missing");
    if (l->ds->cores == 0 || l->ds->cores > MPJ_CORES_MAX)
        return damaged(l, "the number of cores is 0");
    if (l->ds->program != NULL || l->tally != NULL)
        return damaged(l, "the number of programs occurs twice");
    l->ds->program = calloc((size_t)n + 1, sizeof(*l->ds->program));
    l->tally = calloc((size_t)n + 1, sizeof(*l->tally));
    if (l->ds->program == NULL || l->tally == NULL)
        return no_memory(l);
    l->ds->programs = (size_t)n;
    return MPJ_E_OK;
}

static int on_program(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    struct tally *t;

    if (p == NULL || p->name != NULL)
        return damaged(l, "its programs are not numbered from 0");
    t = tally_of(l, p);
    p->id = (unsigned)(p - l->ds->program);
    p->board_cores = l->ds->cores;
    p->name = column(s, 1);
    p->family = column(s, 2);
    p->threads = (unsigned)sqlite3_column_int(s, 3);
    p->description = column(s, 4);
    t->pass = calloc(l->ds->passes, sizeof(*t->pass));
    t->time = calloc(l->ds->passes, sizeof(*t->time));
    for (unsigned i = 0; i < MPJ_DATASET_EVENTS; i++) {
        p->chip[i] = NAN;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            p->core[k].ev[i] = NAN;
    }
    return p->name != NULL && p->family != NULL && p->description != NULL && t->pass != NULL &&
                   t->time != NULL
               ? MPJ_E_OK
               : no_memory(l);
}

/* Returns the pass of a row if it was recorded without failure; -1 otherwise. */
static int made_pass(struct loader *l, const struct mpj_dataset_program *p, sqlite3_stmt *s, int i)
{
    const int64_t pass = sqlite3_column_int64(s, i);

    if (p == NULL || pass < 0 || pass >= l->ds->passes || !tally_of(l, p)->pass[pass])
        return -1;
    return (int)pass;
}

static int on_run(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    const int64_t pass = sqlite3_column_int64(s, 1);
    const double time_s = sqlite3_column_double(s, 4);
    struct tally *t;

    if (p == NULL || pass < 0 || pass >= l->ds->passes)
        return damaged(l, "it has a run that was not planned");
    t = tally_of(l, p);
    if (sqlite3_column_int(s, 2) != MPJ_E_OK) {
        if (t->failure[0] == '\0') {
            const char *const text = (const char *)sqlite3_column_text(s, 3);
            snprintf(t->failure, sizeof(t->failure), "%s", text != NULL ? text : "it failed");
            mpj_text_clean(t->failure);
            t->failure_pass = (unsigned)pass;
        }
        return MPJ_E_OK;
    }
    if (!(time_s > 0.0))
        return damaged(l, "a run took no time");
    if (t->made == 0) {
        p->time_s = time_s;
        p->clock_hz = sqlite3_column_double(s, 5);
        p->cores_mask = (uint32_t)sqlite3_column_int64(s, 6);
    }
    t->made++;
    t->pass[pass] = true;
    t->time[pass] = time_s;
    if (sqlite3_column_type(s, 7) != SQLITE_NULL) {
        const double mw = sqlite3_column_double(s, 8) / time_s / UW_PER_MW;
        t->with_adc++;
        t->power += mw;
        t->power2 += mw * mw;
        t->pll += sqlite3_column_double(s, 9) / time_s / UW_PER_MW;
        p->adc_samples += (unsigned)sqlite3_column_int64(s, 7);
    }
    return MPJ_E_OK;
}

/* Reads the cycles of a core: of the first pass, as time_s is. */
static int on_core(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    const int64_t core = sqlite3_column_int64(s, 2);

    if (made_pass(l, p, s, 1) < 0 || core < 0 || core >= (int64_t)MPJ_CORES_MAX)
        return damaged(l, "cycles belong to no run");
    if (p->core[core].present) {
        if (p->core[core].cycles != sqlite3_column_double(s, 3) ||
            p->core[core].wfi_cycles != sqlite3_column_double(s, 4))
            tally_of(l, p)->unlike = true;
        return MPJ_E_OK;
    }
    p->core[core].present = true;
    p->core[core].cycles = sqlite3_column_double(s, 3);
    p->core[core].wfi_cycles = sqlite3_column_double(s, 4);
    return MPJ_E_OK;
}

/* Uses the first pass that counted an event: the others' lengths differ at most a little. */
static int on_observation(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    const int pass = made_pass(l, p, s, 3);
    const int64_t scope = sqlite3_column_int64(s, 2);
    const char *const name = (const char *)sqlite3_column_text(s, 1);
    const int event = name != NULL ? mpj_event_index(name) : -1;
    double *v;
    bool *later;

    if (pass < 0 || scope < -1 || scope >= (int64_t)MPJ_CORES_MAX)
        return damaged(l, "an observation belongs to no run");
    if (event < 0)
        return damaged(l, "an observed event is not in the table of events");
    v = scope < 0 ? &p->chip[event] : &p->core[scope].ev[event];
    later = scope < 0 ? &p->chip_later[event] : &p->core[scope].later[event];
    if (isnan(*v)) {
        *v = sqlite3_column_double(s, 4) * (p->time_s / tally_of(l, p)->time[pass]);
        *later = pass > 0;
    }
    return MPJ_E_OK;
}

static int on_truth(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    const int64_t scope = sqlite3_column_int64(s, 1);
    const double uj = sqlite3_column_double(s, 3);

    if (p == NULL || scope < -2 || scope >= (int64_t)MPJ_CORES_MAX)
        return damaged(l, "truth belongs to no program");
    p->have_truth = true;
    p->truth_window_s = sqlite3_column_double(s, 2);
    if (scope == -2)
        p->truth_energy_uj = uj;
    else if (scope == -1)
        p->truth_shared_uj = uj;
    else
        p->truth_core_uj[scope] = uj;
    return MPJ_E_OK;
}

/* ---- threads ---------------------------------------------------------------- */

static int by_id(const void *id, const void *thread)
{
    const int64_t a = *(const int64_t *)id;
    const int64_t b = ((const struct mpj_dataset_thread *)thread)->id;

    return (a > b) - (a < b);
}

/* Returns a thread; they were read in the order of their ids. */
static struct mpj_dataset_thread *thread_of(const struct mpj_dataset_program *p, sqlite3_stmt *s,
                                            int i)
{
    const int64_t id = sqlite3_column_int64(s, i);

    return p->profiled == 0 ? NULL
                            : bsearch(&id, p->thread, p->profiled, sizeof(*p->thread), by_id);
}

static int on_thread(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    struct mpj_dataset_thread *t;

    if (p == NULL)
        return damaged(l, "a thread belongs to no program");
    t = realloc(p->thread, (p->profiled + 1U) * sizeof(*t));
    if (t == NULL)
        return no_memory(l);
    p->thread = t;
    t = &p->thread[p->profiled++];
    *t = (struct mpj_dataset_thread){
        .id = (unsigned)sqlite3_column_int64(s, 1),
        .part = {.run_s = sqlite3_column_double(s, 2), .cycles = sqlite3_column_double(s, 3)}};
    if (t->part.cycles > 0 &&
        p->clock_hz > 0) /* spinning included, in data sets of every version */
        t->part.run_s = t->part.cycles / p->clock_hz;
    for (int k = 0; k < (int)MPJ_CORES_MAX; k++)
        t->part.core_share[k] = sqlite3_column_double(s, 4 + k);
    for (unsigned e = 0; e < MPJ_DATASET_EVENTS; e++) /* a core that was not used counted nothing */
        t->part.ev[e] = t->part.cycles > 0 ? NAN : 0;
    return MPJ_E_OK;
}

/* Reads the time of each thread on cores in each pass. */
static int on_thread_cycles(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    const int pass = made_pass(l, p, s, 2);
    const struct mpj_dataset_thread *const t = pass >= 0 ? thread_of(p, s, 1) : NULL;
    struct tally *y;

    if (t == NULL)
        return MPJ_E_OK;
    y = tally_of(l, p);
    if (y->thread_cycles == NULL)
        y->thread_cycles = calloc((size_t)l->ds->passes * p->profiled, sizeof(*y->thread_cycles));
    if (y->thread_cycles == NULL)
        return no_memory(l);
    y->thread_cycles[(size_t)pass * p->profiled + (size_t)(t - p->thread)] =
        sqlite3_column_double(s, 3);
    return MPJ_E_OK;
}

/*
 * Returns the factor that scales a count of a pass to the first pass. Threads that share work
 * dynamically do more of it in one pass than in another: the factor is the ratio of their shares of
 * all threads' cycles.
 */
static double to_first_pass(struct loader *l, const struct mpj_dataset_program *p,
                            const struct mpj_dataset_thread *t, int pass)
{
    const struct tally *const y = tally_of(l, p);
    const double longer = p->time_s / y->time[pass];
    const double *now;
    double first = 0;
    double all = 0;

    if (y->thread_cycles == NULL)
        return longer;
    now = y->thread_cycles + (size_t)pass * p->profiled;
    for (unsigned i = 0; i < p->profiled; i++) {
        first += p->thread[i].part.cycles;
        all += now[i];
    }
    return now[t - p->thread] > 0 && t->part.cycles > 0
               ? longer * (t->part.cycles / first) * (all / now[t - p->thread])
               : longer;
}

static int on_thread_observation(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    const int pass = made_pass(l, p, s, 3);
    const char *const name = (const char *)sqlite3_column_text(s, 1);
    const int event = name != NULL ? mpj_event_index(name) : -1;
    struct mpj_dataset_thread *t;

    if (pass < 0)
        return damaged(l, "an observation of a thread belongs to no run");
    if (event < 0)
        return damaged(l, "an observed event is not in the table of events");
    t = thread_of(p, s, 2);
    if (t != NULL && isnan(t->part.ev[event]))
        t->part.ev[event] = sqlite3_column_double(s, 4) * to_first_pass(l, p, t, pass);
    return MPJ_E_OK;
}

static int on_thread_truth(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;
    struct mpj_dataset_program *const p = program_of(l, s);
    struct mpj_dataset_thread *const t = p != NULL ? thread_of(p, s, 1) : NULL;

    if (t == NULL)
        return damaged(l, "truth belongs to no thread");
    t->have_truth = true;
    t->truth_cycles = sqlite3_column_double(s, 2);
    t->truth_uj = sqlite3_column_double(s, 3);
    return MPJ_E_OK;
}

/* ---- verdict ---------------------------------------------------------------- */

/* Records the parts that a program lacks, if any. */
static int judge(struct loader *l, struct mpj_dataset_program *p)
{
    const struct tally *const t = tally_of(l, p);
    const double n = t->with_adc;
    int made = 0;

    if (!t->unlike) { /* all passes are one */
        memset(p->chip_later, 0, sizeof(p->chip_later));
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            memset(p->core[k].later, 0, sizeof(p->core[k].later));
    }

    if (t->with_adc > 0) {
        p->have_adc = true;
        p->power_mw = t->power / n;
        p->pll_power_mw = t->pll / n;
        p->energy_uj = p->power_mw * UW_PER_MW * p->time_s;
        if (t->with_adc > 1)
            p->power_sd_mw =
                sqrt(fmax(0.0, (t->power2 - n * p->power_mw * p->power_mw) / (n - 1.0)));
    }
    p->passes = t->made;
    p->complete = t->made == l->ds->passes && t->with_adc == t->made;
    if (p->complete)
        return MPJ_E_OK;
    if (t->failure[0] != '\0')
        made = asprintf(&p->missing, "%u of %u passes; pass %u failed: %s", t->made, l->ds->passes,
                        t->failure_pass + 1, t->failure);
    else if (t->made < l->ds->passes)
        made = asprintf(&p->missing, "%u of %u passes", t->made, l->ds->passes);
    else
        made = asprintf(&p->missing, "%u of %u passes have no ADC samples", t->made - t->with_adc,
                        t->made); /* with a meter they would have failed */
    if (made < 0) {
        p->missing = NULL;
        return no_memory(l);
    }
    return MPJ_E_OK;
}

static int load(struct loader *l)
{
    static const struct mpj_sql_step steps[] = {
        {"SELECT key, value FROM meta ORDER BY key", on_meta},
        {"SELECT count(*), max(id) FROM program", on_count},
        {"SELECT id, name, family, threads, description FROM program ORDER BY id", on_program},
        {"SELECT program, pass, outcome, message, time_s, clock_hz, cores_mask, adc_samples, "
         "energy_uj, pll_energy_uj FROM run ORDER BY program, pass",
         on_run},
        {"SELECT program, pass, core, cycles, wfi_cycles FROM core ORDER BY program, pass, core",
         on_core},
        {"SELECT program, event, scope, pass, value FROM observation "
         "ORDER BY program, pass, event, scope",
         on_observation},
        {"SELECT program, scope, window_s, energy_uj FROM truth ORDER BY program, scope", on_truth},
    };
    static const struct mpj_sql_step threads[] = {
        /* since version 2 */
        {"SELECT program, id, run_s, cycles, core0, core1, core2, core3 FROM thread ORDER BY "
         "program, id",
         on_thread},
        {"SELECT program, thread, pass, value FROM thread_observation WHERE event = 'run_cycles'",
         on_thread_cycles},
        {"SELECT program, event, thread, pass, value FROM thread_observation "
         "WHERE event <> 'run_cycles' "
         "ORDER BY program, pass, event, thread",
         on_thread_observation},
        {"SELECT program, thread, cycles, energy_uj FROM thread_truth ORDER BY program, thread",
         on_thread_truth},
    };

    /* a consistent snapshot of a campaign in progress */
    if (sqlite3_exec(l->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return mpj_sql_error(l->db, l->path, l->err);
    if (dataset_check(l->db, l->path, l->version, l->err) != MPJ_E_OK)
        return l->err->code;
    if (mpj_sql_steps(l->db, l->path, steps, sizeof(steps) / sizeof(steps[0]), l, l->err) !=
        MPJ_E_OK)
        return l->err->code;
    if (l->version >= 2 &&
        mpj_sql_steps(l->db, l->path, threads, sizeof(threads) / sizeof(threads[0]), l, l->err) !=
            MPJ_E_OK)
        return l->err->code;
    for (size_t i = 0; i < l->ds->programs; i++) {
        if (judge(l, &l->ds->program[i]) != MPJ_E_OK)
            return l->err->code;
    }
    return MPJ_E_OK;
}

int mpj_dataset_load(struct mpj_dataset **out, const char *path, struct mpj_err *err)
{
    static const struct mpj_sql_kind kind = {MPJ_DATASET_APPLICATION_ID, "data set",
                                             "the data set of a campaign", 1, MPJ_DATASET_VERSION};
    struct loader l = {.path = path, .err = err};
    int result;

    *out = NULL;
    l.ds = calloc(1, sizeof(*l.ds));
    if (l.ds == NULL)
        return mpj_err_nomem(err);
    l.ds->cores = MPJ_CORES_MAX;
    result = mpj_sql_open(&l.db, path, &kind, &l.version, err);
    if (result == MPJ_E_OK)
        result = load(&l);
    if (result != MPJ_E_OK && sqlite3_errcode(l.db) == SQLITE_READONLY &&
        mpj_sql_journal(path, err) == MPJ_E_OK)
        mpj_err_set(err, result,
                    "cannot read %s: its campaign was killed while it wrote, and %s-journal has "
                    "what is to be undone: start the campaign again, which does that and goes on",
                    path, path);
    sqlite3_close(l.db);
    for (size_t i = 0; l.tally != NULL && i < l.ds->programs; i++) {
        free(l.tally[i].pass);
        free(l.tally[i].time);
        free(l.tally[i].thread_cycles);
    }
    free(l.tally);
    if (result != MPJ_E_OK) {
        mpj_dataset_free(l.ds);
        return result;
    }
    *out = l.ds;
    return MPJ_E_OK;
}

void mpj_dataset_program_clear(struct mpj_dataset_program *p)
{
    free(p->name);
    free(p->family);
    free(p->description);
    free(p->missing);
    free(p->thread);
}

void mpj_dataset_free(struct mpj_dataset *ds)
{
    if (ds == NULL)
        return;
    for (size_t i = 0; i < ds->programs; i++)
        mpj_dataset_program_clear(&ds->program[i]);
    free(ds->program);
    free(ds->kind);
    free(ds->target);
    free(ds->calibration);
    free(ds->firmware_sha256);
    free(ds->version);
    free(ds->meter);
    free(ds);
}

unsigned mpj_dataset_cores(const struct mpj_dataset_program *p)
{
    return p->board_cores > 0 ? p->board_cores : MPJ_CORES_MAX;
}

double mpj_dataset_total(const struct mpj_dataset_program *p, int index)
{
    double sum = 0.0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        if (p->core[k].present)
            sum += p->core[k].ev[index];
    }
    return sum;
}
