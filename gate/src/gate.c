/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures a gate's programs, each a tune whose points are layouts or repetitions. */
#include "gate/gate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/stop.h"
#include "gate_int.h"
#include "judge_int.h"
#include "run/cache.h"

/* A program being measured. */
struct program_ctx {
    struct run_gate *g;
    struct run_board_pool *boards; /* NULL: the emulator */
    struct run_gate_program *program;
    struct mpj_gate_program *out;
    char *folder;
    json_t *before; /* samples of runs that are repeated, by stem */
    json_t *sample[MPJ_GATE_SAMPLES_MAX];
    unsigned samples;
    struct mpj_err err;
    int result;
};

struct gate_ctx {
    struct mpj_pool pool;
    struct program_ctx *program_ctx;
    unsigned done;
};

/* ---- one program ------------------------------------------------------------------------- */

static int put_sample(const void *what, FILE *f, struct mpj_err *err)
{
    return json_dumpf(what, f, JSON_COMPACT) == 0 ? MPJ_E_OK
                                                  : mpj_err_errno(err, "cannot write a sample");
}

static json_t *of_store(const char *store, const char *elf, const char *target, struct mpj_err *err)
{
    struct mpj_run *run = NULL;
    json_t *sample = NULL;

    if (mpj_run_load(&run, store, err) == MPJ_E_OK)
        sample = mpj_gate_sample(run, store, elf, err);
    if (sample != NULL && target != NULL) /* whichever of its boards it was */
        json_put_text(json_object_get(sample, "tools"), "target", target);
    mpj_run_free(run);
    return sample;
}

/* Reads a sample. NULL and err: the file has none. */
static json_t *of_file(const char *path, struct mpj_err *err)
{
    json_t *const sample = json_load_file(path, 0, NULL);

    if (json_is_integer(json_object_get(json_object_get(sample, "figures"), "time")))
        return sample;
    json_decref(sample);
    mpj_err_set(err, MPJ_E_STORE, "cannot read %s: remove the folder", path);
    return NULL;
}

/* Returns the part of a measured point that replaces its store. */
static json_t *sample_of(const struct program_ctx *s, const struct run_tune_point *p,
                         struct mpj_err *err)
{
    const char *const elf = s->program->tune.build[p->build].elf;
    char *const store = run_cache_file(p->stem, ".mpj");
    char *const kept = run_cache_file(p->stem, RUN_TUNE_SAMPLE);
    json_t *sample = NULL;

    if (store == NULL || kept == NULL)
        mpj_err_nomem(err);
    else if (access(store, F_OK) == 0) /* newer than a sample that is there as well */
        sample = of_store(store, elf, s->g->target, err);
    else
        sample = of_file(kept, err);
    if (sample != NULL && access(store, F_OK) == 0 &&
        mpj_file_replace(kept, put_sample, sample, err) == MPJ_E_OK)
        unlink(store);
    free(kept);
    free(store);
    return sample;
}

/* True for a point that is measured again. A board does not repeat itself; some of the emulator's
 * runs are checked; and unreadable ones are repeated. */
static bool is_stale(void *ctx, const struct run_tune_point *p)
{
    struct program_ctx *const s = ctx;
    const char *const sum = strrchr(p->stem, '/') + 1; /* sum of the run's dependencies */
    char digits[9];
    json_t *sample;
    struct mpj_err ignored;

    if (s->g->target != NULL)
        return true;
    sample = sample_of(s, p, &ignored);
    snprintf(digits, sizeof(digits), "%.8s", sum);
    if (sample != NULL && strtoul(digits, NULL, 16) % 100 >= s->g->recheck) {
        json_decref(sample);
        return false;
    }
    if (sample != NULL)
        json_object_set_new(s->before, p->stem, sample);
    return true;
}

/* Adds what is the same in all runs, and the axis of a board's repetitions. */
static int vary(struct program_ctx *s, struct mpj_err *err)
{
    struct run_tune *const t = &s->program->tune;
    const bool board = s->g->target != NULL;
    const unsigned repeat = s->g->repeat > 0 ? s->g->repeat : RUN_GATE_REPEAT;
    char values[24];
    char *options;

    if (board) {
        snprintf(values, sizeof(values), "1..%u", repeat);
        if (run_tune_put(&t->option, "target", s->g->target, err) != MPJ_E_OK ||
            (s->g->boards != NULL &&
             run_tune_put(&t->option, "boards", s->g->boards, err) != MPJ_E_OK) ||
            run_tune_axis(t, "repetition", values, err) != MPJ_E_OK)
            return err->code;
        /* the seed is of the emulator's noise: here it distinguishes repetitions */
        return run_tune_put(&t->option, "seed", "{repetition}", err);
    }
    if (s->g->layouts < 2)
        return MPJ_E_OK;
    if (t->program != NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s is already linked and has one layout: name its sources:, or measure "
                           "without layouts",
                           t->program);
    if (asprintf(&options, "%s --layout={layout}", t->compiler != NULL ? t->compiler : "") < 0)
        return mpj_err_nomem(err);
    free(t->compiler);
    t->compiler = options;
    return MPJ_E_OK;
}

static bool has_layouts(const struct program_ctx *s)
{
    return s->g->target == NULL && s->g->layouts > 1;
}

/* Returns how many layouts are measured at most: a baseline has more of them, so that the range of
 * the program is known; others are compared with as many as are necessary. */
static unsigned most_layouts(const struct program_ctx *s)
{
    const unsigned kept = RUN_GATE_KEPT * s->g->layouts;
    const json_t *const base = s->out->base;

    if (s->g->update)
        return kept < RUN_GATE_MOST ? kept : RUN_GATE_MOST;
    return base != NULL && gate_samples(base) > s->g->layouts ? gate_samples(base) : s->g->layouts;
}

/* Takes the sample of a point, which has to be equal to that of the repeated run. */
static int take(struct program_ctx *s, const struct run_tune_point *p, json_t **out,
                struct mpj_err *err)
{
    const json_t *const before = json_object_get(s->before, p->stem);

    if (p->state != RUN_TUNE_MEASURED)
        return mpj_gate_unknown(s->out, err, "%s", p->reason != NULL ? p->reason : "not measured");
    *out = sample_of(s, p, err);
    if (*out == NULL)
        return err->code;
    run_cache_touch(p->stem);
    if (before == NULL || json_equal(before, *out))
        return MPJ_E_OK;
    return mpj_gate_unknown(s->out, err,
                            "a repeated run differs from the cached one (%s.mpj): results are not "
                            "reliable; remove the folder",
                            p->stem);
}

/* Collects the samples of all points, and merges them with those that are there. */
static int collect(struct program_ctx *s, struct mpj_err *err)
{
    const struct run_tune *const t = &s->program->tune;

    json_decref(s->out->now);
    s->out->now = NULL;
    for (unsigned n = 0; n < t->points; n++) {
        if (take(s, &t->point[n], &s->sample[s->samples], err) != MPJ_E_OK)
            return err->code;
        if (s->out->verdict != MPJ_GATE_OK)
            return MPJ_E_OK;
        s->samples++;
    }
    s->out->now = mpj_gate_merge(s->sample, s->samples);
    return s->out->now != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

/* Runs the points of the tune that are not kept. */
static int run_points(struct program_ctx *s, struct mpj_err *err)
{
    struct run_tune *const t = &s->program->tune;
    const int result = run_tune(t, err);

    s->out->runs += t->points;
    s->out->kept += t->points - t->measured_now;
    return result == MPJ_E_OK ? collect(s, err) : result;
}

/* Runs layouts; as many again as there are, as long as the verdict is in doubt. */
static int run_layouts(struct program_ctx *s, struct mpj_err *err)
{
    struct run_tune *const t = &s->program->tune;
    const unsigned most = most_layouts(s);
    unsigned first = 0;
    unsigned next = s->g->update ? most : s->g->layouts;

    while (first < most) {
        char values[24];
        snprintf(values, sizeof(values), "%u..%u", first, next - 1);
        if (run_tune_axis(t, "layout", values, err) != MPJ_E_OK || run_points(s, err) != MPJ_E_OK)
            return err->code;
        if (next == most || s->out->now == NULL || s->out->base == NULL ||
            !mpj_gate_doubtful(s->out))
            return MPJ_E_OK;
        run_tune_clear(t);
        run_tune_drop_axis(t);
        first = next;
        next = 2 * next < most ? 2 * next : most;
    }
    return MPJ_E_OK;
}

static int measure(struct program_ctx *s, unsigned jobs, struct mpj_err *err)
{
    struct run_tune *const t = &s->program->tune;
    struct mpj_err why;
    int result = vary(s, err);

    t->folder = s->folder;
    t->jobs = jobs;
    t->boards = s->boards;
    t->compare = true;
    t->again = is_stale;
    t->again_ctx = s;
    if (result == MPJ_E_OK)
        result = run_gate_enter(s->folder, err);
    if (result == MPJ_E_OK) /* the ADC may have no sample of a short run */
        result = run_tune_put(&t->objective, NULL, "time", err);
    if (result == MPJ_E_OK)
        result = has_layouts(s) ? run_layouts(s, err) : run_points(s, err);
    if (result == MPJ_E_OK || result == MPJ_E_CANCELLED || result == MPJ_E_NOMEM)
        return result;
    why = *err;
    return mpj_gate_unknown(s->out, err, "%s", why.text);
}

static int job(void *ctx, unsigned n, unsigned tried, struct mpj_err *err)
{
    struct gate_ctx *const c = ctx;
    struct program_ctx *const s = &c->program_ctx[n];
    const unsigned jobs = s->boards != NULL ? s->g->jobs : c->pool.workers / c->pool.jobs;

    (void)tried;
    s->result = measure(s, jobs > 0 || s->boards != NULL ? jobs : 1, &s->err);
    if (s->result != MPJ_E_OK)
        *err = s->err;
    return s->result;
}

static void done(void *ctx, unsigned n, unsigned tried, int code, const struct mpj_err *err)
{
    struct gate_ctx *const c = ctx;
    const struct run_gate *const g = c->program_ctx[n].g;

    (void)tried;
    c->done++;
    if (code != MPJ_E_OK)
        mpj_pool_fail(&c->pool, err);
    if (g->progress != NULL)
        g->progress(c->done, c->pool.jobs);
}

/* ---- public functions -------------------------------------------------------------------- */

static bool wanted(const struct run_gate *g, const char *name)
{
    for (unsigned i = 0; g->only != NULL && g->only[i] != NULL; i++) {
        if (strcmp(g->only[i], name) == 0)
            return true;
    }
    return g->only == NULL || g->only[0] == NULL;
}

static int check(struct run_gate *g, struct mpj_err *err)
{
    for (unsigned i = 0; g->only != NULL && g->only[i] != NULL; i++) {
        if (run_gate_find(g, g->only[i]) == NULL)
            return mpj_err_set(err, MPJ_E_USAGE, "%s has no program \"%.80s\"", g->file,
                               g->only[i]);
    }
    if (g->target == NULL && g->repeat > 1)
        return mpj_err_set(
            err, MPJ_E_USAGE,
            "runs on the emulator are identical: repeat is for a board (--target); see --layouts");
    if (g->target != NULL && g->layouts > 1)
        return mpj_err_set(err, MPJ_E_USAGE, "layouts are for the emulator; a board has --repeat");
    if (g->target != NULL && g->repeat == 1)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "one run of a board does not show the spread: --repeat takes 2 or more");
    if ((g->baseline == NULL && (g->baseline = strdup(RUN_GATE_BASELINE)) == NULL) ||
        (g->folder == NULL && (g->folder = strdup(RUN_GATE_FOLDER)) == NULL))
        return mpj_err_nomem(err);
    return json_check_text("the name of the cache", g->folder, err);
}

static int prepare(struct run_gate *g, struct program_ctx *program_ctx, const json_t *base,
                   struct mpj_err *err)
{
    unsigned n = 0;

    for (unsigned i = 0; i < g->programs; i++) {
        struct run_gate_program *const p = &g->program[i];
        struct mpj_gate_program *const out = &g->result.program[n];
        if (!wanted(g, p->name))
            continue;
        *out = (struct mpj_gate_program){.name = strdup(p->name), .limits = &p->limits};
        out->file = strdup(p->tune.source.n > 0 ? p->tune.source.at[0].name : g->file);
        out->base = json_incref(json_object_get(base, p->name));
        program_ctx[n] =
            (struct program_ctx){.g = g, .program = p, .out = out, .before = json_object()};
        g->result.programs = n + 1;
        if (out->name == NULL || out->file == NULL || program_ctx[n].before == NULL ||
            asprintf(&program_ctx[n].folder, "%s/%s", g->folder, p->name) < 0)
            return mpj_err_nomem(err);
        n++;
    }
    return MPJ_E_OK;
}

static int measure_all(struct run_gate *g, struct program_ctx *program_ctx, struct mpj_err *err)
{
    struct gate_ctx c = {.program_ctx = program_ctx};
    const struct run_board_request wanted = {.target = g->target,
                                             .boards = g->boards,
                                             .purpose = "mpjoule gate",
                                             .wait_s = g->wait_s,
                                             .most = g->jobs,
                                             .note = g->note};
    struct run_board_pool *boards;
    int result;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    c.pool = (struct mpj_pool){
        .jobs = g->result.programs, .workers = g->jobs, .ctx = &c, .run = job, .done = done};
    if (c.pool.workers == 0)
        c.pool.workers = processors > 0 ? (unsigned)processors : 1;
    if (c.pool.workers > MPJ_POOL_WORKERS_MAX)
        c.pool.workers = MPJ_POOL_WORKERS_MAX;
    mpj_stop_catch();
    if (run_board_pool_open(&boards, &wanted, err) != MPJ_E_OK)
        return err->code;
    if (boards != NULL)
        c.pool.workers = 1; /* one program after the other, whose repetitions they share */
    for (unsigned i = 0; i < g->result.programs; i++)
        program_ctx[i].boards = boards;
    result = mpj_pool_run(&c.pool, err);
    run_board_pool_release(boards);
    if (result != MPJ_E_OK)
        return result;
    return mpj_stop_count() > 0 ? mpj_err_set(err, MPJ_E_CANCELLED,
                                              "interrupted; run the same command again to resume")
                                : MPJ_E_OK;
}

/* ---- the baseline ------------------------------------------------------------------------ */

/* Renews the baseline: the measured programs, and those of the old one that are still programs of
 * the gate. */
static int renew(const struct run_gate *g, const json_t *old, struct mpj_err *err)
{
    json_t *const programs = json_object();
    const char *name;
    json_t *program;
    int result = programs != NULL ? MPJ_E_OK : mpj_err_nomem(err);

    json_object_foreach((json_t *)old, name, program)
    {
        if (run_gate_find(g, name) != NULL)
            json_object_set(programs, name, program);
    }
    for (unsigned i = 0; result == MPJ_E_OK && i < g->result.programs; i++) {
        const struct mpj_gate_program *const p = &g->result.program[i];
        json_t *const kept = mpj_gate_reduce(p->now, p->limits, false);
        if (kept == NULL)
            result = mpj_err_nomem(err);
        else
            json_object_set_new(programs, p->name, kept);
    }
    if (result == MPJ_E_OK)
        result = mpj_gate_baseline_write(g->baseline, programs, err);
    json_decref(programs);
    return result;
}

/* Updates the baseline: another gate may have renewed its programs in it during the measurement. */
static int update(const struct run_gate *g, struct mpj_err *err)
{
    struct gate_lock lock;
    bool missing = false;
    json_t *old;
    int result;

    if (gate_file_lock(&lock, g->baseline, err) != MPJ_E_OK)
        return err->code;
    old = mpj_gate_baseline_read(g->baseline, &missing, err);
    result = old != NULL || missing ? renew(g, old, err) : err->code;
    gate_file_unlock(&lock);
    json_decref(old);
    return result;
}

static int judge(struct run_gate *g, struct mpj_err *err)
{
    for (unsigned i = 0; i < g->result.programs; i++) {
        struct mpj_gate_program *const p = &g->result.program[i];
        if (g->update) { /* absolute limits apply all the same */
            json_decref(p->base);
            p->base = json_incref(p->now);
        }
        if (mpj_gate_judge(p, g->target != NULL, err) != MPJ_E_OK)
            return err->code;
    }
    mpj_gate_conclude(&g->result);
    return g->update && g->result.verdict == MPJ_GATE_OK ? update(g, err) : MPJ_E_OK;
}

int run_gate(struct run_gate *g, struct mpj_err *err)
{
    struct program_ctx *const program_ctx = calloc(g->programs, sizeof(*program_ctx));
    json_t *base = NULL;
    bool missing = false;
    int result = check(g, err);

    g->result.program = calloc(g->programs, sizeof(*g->result.program));
    g->result.layouts = g->layouts > 1;
    g->result.repeated = g->target != NULL;
    if (program_ctx == NULL || g->result.program == NULL)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK) {
        base = mpj_gate_baseline_read(g->baseline, &missing, err);
        if (base == NULL && !missing)
            result = err->code;
    }
    if (result == MPJ_E_OK && mkdir(g->folder, 0777) != 0 && errno != EEXIST)
        result = mpj_err_errno(err, "cannot create the folder %s", g->folder);
    if (result == MPJ_E_OK)
        result = prepare(g, program_ctx, base, err);
    if (result == MPJ_E_OK)
        result = measure_all(g, program_ctx, err);
    if (result == MPJ_E_OK)
        result = judge(g, err);
    if (result == MPJ_E_OK)
        run_gate_prune(g->folder, (off_t)(g->cache_mb > 0 ? g->cache_mb : RUN_GATE_CACHE_MB) << 20);
    for (unsigned i = 0; program_ctx != NULL && i < g->programs; i++) {
        json_decref(program_ctx[i].before);
        for (unsigned k = 0; k < MPJ_GATE_SAMPLES_MAX; k++)
            json_decref(program_ctx[i].sample[k]);
        free(program_ctx[i].folder);
    }
    free(program_ctx);
    json_decref(base);
    return result;
}

void run_gate_free(struct run_gate *g)
{
    for (unsigned i = 0; i < g->result.programs; i++)
        mpj_gate_program_free(&g->result.program[i]);
    free(g->result.program);
    for (unsigned i = 0; i < g->programs; i++) {
        run_tune_free(&g->program[i].tune);
        mpj_gate_limits_free(&g->program[i].limits);
        free(g->program[i].name);
    }
    free(g->program);
    mpj_gate_limits_free(&g->limits);
    free(g->file);
    free(g->baseline);
    free(g->folder);
    free(g->target);
    free(g->boards);
}
