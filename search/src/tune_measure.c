/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluates points by their programs and runs, several at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/stop.h"
#include "batch/orders.h"
#include "hil/target.h"
#include "run/cache.h"
#include "tile_limits.h"
#include "tune_int.h"

/* Runs that may be ended are begun in groups, each bounded by those before: which runs are ended
 * must not depend on how many run at a time. */
#define GROUP 8U

struct measure_ctx {
    struct mpj_pool pool;
    struct run_tune *t;
    const unsigned *job; /* points to measure, or points of programs to compile */
    unsigned done, running, todo;
    unsigned begun, batch; /* finished runs of all batches, of this one */
    double begin_s;
    struct mpj_emulator_bound bound[TILE_BOUNDS_MAX];
    unsigned bounds;
};

static bool stopping(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static void progress(const struct measure_ctx *c)
{
    const double took = mpj_clock_s() - c->begin_s;

    if (c->t->progress != NULL && (c->todo > 1 || c->t->narrowed == NULL))
        c->t->progress(c->done, c->todo, c->running,
                       c->done > 0 ? took / c->done * (c->todo - c->done) : -1);
}

static void begin(void *ctx, unsigned job)
{
    struct measure_ctx *const c = ctx;

    (void)job;
    c->running++;
    progress(c);
}

/* Takes a result. An error is a failure of this machine, not of a point: it ends the tune. */
static void done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err)
{
    struct measure_ctx *const c = ctx;

    (void)job;
    (void)tried;
    c->running--;
    c->done++;
    if (code != MPJ_E_OK && code != MPJ_E_CANCELLED)
        mpj_pool_fail(&c->pool, err);
    progress(c);
}

static int pool(struct measure_ctx *c, const unsigned *job, unsigned jobs,
                int (*run)(void *ctx, unsigned job, unsigned tried, struct mpj_err *err),
                struct mpj_err *err)
{
    c->job = job;
    c->pool = (struct mpj_pool){
        .jobs = jobs, .workers = c->t->jobs, .ctx = c, .run = run, .begin = begin, .done = done};
    if (jobs > 0 && mpj_pool_run(&c->pool, err) != MPJ_E_OK)
        return err->code;
    return mpj_stop_count() > 0 ? mpj_err_set(err, MPJ_E_CANCELLED,
                                              "interrupted; run the same command again to resume")
                                : MPJ_E_OK;
}

/* ---- programs -------------------------------------------------------------------------- */

static int job_build(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct measure_ctx *const c = ctx;
    struct run_tune *const t = c->t;
    struct run_tune_point *const p = &t->point[c->job[job]];

    (void)tried;
    return run_tune_build(t, p, &t->build[p->build], stopping, &c->pool, err);
}

/* Sets the number of the point's program. */
static int number(struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    char *const key = run_tune_build_key(t, p);
    const json_t *const known = key != NULL ? json_object_get(t->work->programs, key) : NULL;
    struct run_tune_build *more;

    if (key == NULL)
        return mpj_err_nomem(err);
    if (known != NULL) {
        p->build = (unsigned)json_integer_value(known);
        free(key);
        return MPJ_E_OK;
    }
    more = realloc(t->build, (t->builds + 1U) * sizeof(*more));
    if (more == NULL) {
        free(key);
        return mpj_err_nomem(err);
    }
    t->build = more;
    p->build = t->builds;
    t->build[t->builds++] = (struct run_tune_build){.key = key};
    json_object_set_new(t->work->programs, key, json_integer(p->build));
    return MPJ_E_OK;
}

/* Compiles programs of points, each once. */
static int build(struct run_tune *t, const unsigned *point, unsigned n, struct mpj_err *err)
{
    struct measure_ctx c = {.t = t, .begin_s = mpj_clock_s()};
    int result = MPJ_E_OK;

    for (unsigned k = 0; result == MPJ_E_OK && k < n; k++) {
        struct run_tune_point *const p = &t->point[point[k]];
        result = number(t, p, err);
        if (result != MPJ_E_OK || t->build[p->build].made)
            continue;
        t->build[p->build].made = true;
        t->work->job[c.todo++] = point[k];
    }
    return result == MPJ_E_OK ? pool(&c, t->work->job, c.todo, job_build, err) : result;
}

/* ---- runs -------------------------------------------------------------------------------- */

static json_t *order(void *ctx, unsigned job, struct mpj_err *err)
{
    struct measure_ctx *const c = ctx;
    const struct run_tune_point *const p = &c->t->point[c->job[job]];

    return run_tune_order(c->t, p, c->bound, c->bounds, err);
}

static int take(void *ctx, unsigned job, const json_t *result, struct mpj_err *err)
{
    struct measure_ctx *const c = ctx;

    return run_tune_keep(&c->t->point[c->job[job]], result, err);
}

static void runs_progress(void *ctx, unsigned done, unsigned running, double left_s)
{
    const struct measure_ctx *const c = ctx;

    if (c->t->progress != NULL)
        c->t->progress(c->begun + done, c->todo, running,
                       left_s >= 0 && c->batch > done
                           ? left_s / (c->batch - done) * (c->todo - c->begun - done)
                           : left_s);
}

static int measure(struct measure_ctx *c, const unsigned *job, unsigned jobs, struct mpj_err *err)
{
    const struct run_engine here = {.kind = RUN_ENGINE_LOCAL, .jobs = c->t->jobs};
    const struct run_batch b = {.work = &run_work_program,
                                .engine = c->t->engine != NULL ? c->t->engine : &here,
                                .boards = c->t->boards,
                                .folder = c->t->folder,
                                .jobs = jobs,
                                .ctx = c,
                                .order = order,
                                .take = take,
                                .progress = runs_progress};
    int result;

    c->job = job;
    c->batch = jobs;
    result = run_batch_make(&b, err);
    c->begun += jobs;
    return result;
}

/* True if a run that was ended earlier is still of no use, by the present points. */
static bool still_beyond(const struct measure_ctx *c, const struct run_tune_point *p)
{
    for (unsigned i = 0; i < c->bounds; i++) {
        if (p->time_s >= c->bound[i].time_s && p->energy_j >= c->bound[i].energy_j)
            return true;
    }
    return false;
}

/* True if its result is there: of an earlier tune, or of another point with the same run. */
static bool read_cached(const struct measure_ctx *c, struct run_tune_point *p, struct mpj_err *err)
{
    return run_tune_is_cached(p) && run_tune_take(c->t, p, err) &&
           (p->state != RUN_TUNE_STOPPED || still_beyond(c, p)) &&
           (c->t->again == NULL || !c->t->again(c->t->again_ctx, p));
}

/* Keeps each of several points with the same program and options once, in their order. */
static unsigned unique(struct run_tune *t, unsigned *job, unsigned n)
{
    json_t *const seen = json_object();
    unsigned kept = 0;

    for (unsigned i = 0; i < n; i++) {
        if (json_object_get(seen, t->point[job[i]].stem) != NULL)
            continue;
        json_object_set_new(seen, t->point[job[i]].stem, json_true());
        job[kept++] = job[i];
    }
    json_decref(seen);
    return kept;
}

/* Moves the points whose last attempt failed to the end: what made the only board fail, after which
 * the tune ends (RUN_POOL_FAILED), keeps none of the others from being measured. */
static int put_failed_last(const struct run_tune *t, unsigned *job, unsigned n, struct mpj_err *err)
{
    unsigned *const failed = malloc((n + 1U) * sizeof(*failed));
    unsigned first = 0;
    unsigned last = 0;

    if (failed == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < n; i++) {
        if (run_cache_failed(t->point[job[i]].stem))
            failed[last++] = job[i];
        else
            job[first++] = job[i];
    }
    memcpy(job + first, failed, last * sizeof(*failed));
    free(failed);
    return MPJ_E_OK;
}

static int group(struct measure_ctx *c, const unsigned *point, unsigned n, struct mpj_err *err)
{
    struct run_tune *const t = c->t;
    unsigned *const job = t->work->job;
    unsigned jobs = 0;
    int result = MPJ_E_OK;

    c->bounds = t->stop ? run_tune_bounds(t, c->bound, TILE_BOUNDS_MAX) : 0;
    for (unsigned k = 0; result == MPJ_E_OK && k < n; k++) {
        struct run_tune_point *const p = &t->point[point[k]];
        if (t->build[p->build].reason != NULL) {
            p->state = RUN_TUNE_FAILED;
            p->reason = strdup(t->build[p->build].reason);
            continue;
        }
        result = run_tune_name(t, p, t->work->version, err);
        if (result == MPJ_E_OK && !read_cached(c, p, err))
            job[jobs++] = point[k];
        if (result == MPJ_E_OK && err->code != MPJ_E_OK)
            result = err->code;
    }
    jobs = unique(t, job, jobs);
    t->measured_now += jobs;
    if (result == MPJ_E_OK)
        result = put_failed_last(t, job, jobs, err);
    if (result == MPJ_E_OK)
        result = measure(c, job, jobs, err);
    for (unsigned k = 0; result == MPJ_E_OK && k < n; k++) {
        struct run_tune_point *const p = &t->point[point[k]];
        if (p->stem != NULL && !run_tune_take(t, p, err) && err->code != MPJ_E_OK)
            result = err->code;
    }
    return result == MPJ_E_OK && t->stop ? run_tune_choose(t, err) : result;
}

/* Takes points from a landscape, or measured by others. */
static int elsewhere(struct run_tune *t, const unsigned *point, unsigned n, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned k = 0; result == MPJ_E_OK && k < n; k++) {
        if (mpj_stop_count() > 0)
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        result = t->landscape != NULL
                     ? run_tune_landscape_take(t, point[k], &t->point[point[k]], err)
                     : run_tune_ask_external(t, point[k], err);
    }
    return result;
}

int run_tune_measure(struct run_tune *t, const unsigned *point, unsigned n, struct mpj_err *err)
{
    struct measure_ctx c = {.t = t, .begin_s = mpj_clock_s(), .todo = 0};
    unsigned *const todo = malloc((n + 1U) * sizeof(*todo));
    const unsigned most = t->stop ? GROUP : n;
    int result;

    if (todo == NULL)
        return mpj_err_nomem(err);
    for (unsigned k = 0; k < n; k++) {
        struct run_tune_point *const p = &t->point[point[k]];
        if (p->state == RUN_TUNE_INFEASIBLE || p->tried > 0 ||
            (t->most > 0 && t->evaluations >= t->most))
            continue;
        p->tried = ++t->evaluations;
        todo[c.todo++] = point[k];
    }
    err->code = MPJ_E_OK;
    result = t->landscape != NULL || t->talk == RUN_TUNE_ASK ? elsewhere(t, todo, c.todo, err)
                                                             : build(t, todo, c.todo, err);
    if (t->landscape != NULL || t->talk == RUN_TUNE_ASK)
        c.todo = 0;
    for (unsigned k = 0; result == MPJ_E_OK && k < c.todo; k += most)
        result = group(&c, todo + k, c.todo - k < most ? c.todo - k : most, err);
    free(todo);
    return result;
}
