/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tune: from the space to its points, their programs and runs, and which of them are best. */
#include "run/tune.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/stop.h"
#include "kept.h"
#include "tune_int.h"

struct crew {
    struct mpj_pool pool;
    struct run_tune *t;
    unsigned *job; /* points to measure; programs to compile are numbered as they are */
    unsigned done, running;
    double begin_s;
};

static int no_memory(struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
}

/* ---- the space ------------------------------------------------------------------------ */

static int check_options(const struct run_tune *t, struct mpj_err *err)
{
    static const char known[] = " cores sample-ms calibration quantum seed timeout stdin ";

    for (unsigned i = 0; i < t->option.n; i++) {
        char name[64];
        snprintf(name, sizeof(name), " %s ", t->option.at[i].name);
        if (strstr(known, name) == NULL)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "run: %s is not an option that a tune hands on (those are:%.*s)",
                               t->option.at[i].name, (int)sizeof(known) - 2, known);
    }
    return MPJ_E_OK;
}

static int check(struct run_tune *t, struct mpj_err *err)
{
    if (t->program == NULL && t->source.n == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "no program: name an ELF file (program:) or sources:");
    if (t->program != NULL && (t->source.n > 0 || t->compiler != NULL))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "program: is compiled already; leave out sources: and compiler:");
    if (t->axes == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "nothing varies: the space has no axes");
    for (unsigned i = 0; t->objective.n == 0 && i < 2; i++) {
        if (run_tune_put(&t->objective, NULL, i == 0 ? "time" : "energy", err) != MPJ_E_OK)
            return err->code;
    }
    if (t->objective.n > RUN_TUNE_OBJECTIVES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u objectives", RUN_TUNE_OBJECTIVES_MAX);
    for (unsigned i = 0; i < t->source.n; i++) {
        if (access(t->source.at[i].name, R_OK) != 0)
            return mpj_err_errno(err, "cannot read %s", t->source.at[i].name);
    }
    if (check_options(t, err) != MPJ_E_OK)
        return err->code;
    return run_tune_check(t, err);
}

/* Whether the point obeys the constraints. */
static int constrain(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    json_t *const at = json_object();
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < t->axes; i++)
        json_object_set_new(at, t->axis[i].name, json_string(t->axis[i].value[p->index[i]]));
    for (unsigned i = 0; result == MPJ_E_OK && i < t->constraint.n; i++) {
        bool known;
        double v;
        result = run_tune_value(t->constraint.at[i].text, at, &v, &known, err);
        if (result != MPJ_E_OK || (known && v != 0) || p->state == RUN_TUNE_INFEASIBLE)
            continue;
        p->state = RUN_TUNE_INFEASIBLE;
        if (asprintf(&p->reason, "not %s", t->constraint.at[i].text) < 0)
            result = no_memory(err);
    }
    json_decref(at);
    return result;
}

/* Objectives and caps, before anything takes its time. */
static int check_results(const struct run_tune *t, struct mpj_err *err)
{
    const struct run_tune_list *const lists[] = {&t->objective, &t->cap};
    json_t *const names = json_object();
    int result = MPJ_E_OK;

    run_tune_names(t, &t->point[0], names);
    for (unsigned l = 0; l < 2; l++) {
        for (unsigned i = 0; result == MPJ_E_OK && i < lists[l]->n; i++) {
            bool known;
            double v;
            result = run_tune_value(lists[l]->at[i].text, names, &v, &known, err);
        }
    }
    json_decref(names);
    return result;
}

static int expand(struct run_tune *t, struct mpj_err *err)
{
    unsigned feasible = 0;
    unsigned long points = 1;

    for (unsigned i = 0; i < t->axes; i++) {
        points *= t->axis[i].values;
        if (points > RUN_TUNE_POINTS_MAX)
            return mpj_err_set(err, MPJ_E_USAGE, "the space has more than %u points",
                               RUN_TUNE_POINTS_MAX);
    }
    t->point = calloc(points, sizeof(*t->point));
    if (t->point == NULL)
        return no_memory(err);
    t->points = (unsigned)points;
    for (unsigned k = 0; k < t->points; k++) {
        unsigned rest = k;
        for (unsigned i = t->axes; i-- > 0;) {
            t->point[k].index[i] = rest % t->axis[i].values;
            rest /= t->axis[i].values;
        }
        if (constrain(t, &t->point[k], err) != MPJ_E_OK)
            return err->code;
        feasible += t->point[k].state != RUN_TUNE_INFEASIBLE;
    }
    return feasible > 0 ? MPJ_E_OK
                        : mpj_err_set(err, MPJ_E_USAGE,
                                      "the space is empty: none of its %u points obeys all "
                                      "constraints; the first is %s",
                                      t->points, t->point[0].reason);
}

/* ---- jobs ----------------------------------------------------------------------------- */

static bool stopping(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static void progress(const struct crew *c)
{
    const double took = mpj_clock_s() - c->begin_s;

    if (c->t->progress != NULL)
        c->t->progress(c->done, c->pool.jobs, c->running,
                       c->done > 0 ? took / c->done * (c->pool.jobs - c->done) : -1);
}

static void begin(void *ctx, unsigned job)
{
    struct crew *const c = ctx;

    (void)job;
    c->running++;
    progress(c);
}

/* An error is one of this machine, not of a point: it ends the tune. */
static void done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err)
{
    struct crew *const c = ctx;

    (void)job;
    (void)tried;
    c->running--;
    c->done++;
    if (code != MPJ_E_OK && code != MPJ_E_CANCELLED && c->pool.fatal.code == MPJ_E_OK) {
        c->pool.fatal = *err;
        mpj_pool_stop(&c->pool);
    }
    progress(c);
}

static int pool(struct run_tune *t, unsigned *job, unsigned jobs,
                int (*run)(void *ctx, unsigned job, unsigned tried, struct mpj_err *err),
                struct mpj_err *err)
{
    struct crew c = {.t = t, .job = job, .begin_s = mpj_clock_s()};

    c.pool = (struct mpj_pool){
        .jobs = jobs, .workers = t->jobs, .ctx = &c, .run = run, .begin = begin, .done = done};
    if (jobs > 0 && mpj_pool_run(&c.pool, err) != MPJ_E_OK)
        return err->code;
    return mpj_stop_count() > 0 ? mpj_err_set(err, MPJ_E_CANCELLED,
                                              "interrupted; run the same command again to resume")
                                : MPJ_E_OK;
}

static int job_build(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct crew *const c = ctx;
    struct run_tune *const t = c->t;

    (void)tried;
    return run_tune_build(t, &t->point[c->job[job]], &t->build[job], stopping, &c->pool, err);
}

/* Programs, each once; job: a point of each. */
static int build(struct run_tune *t, unsigned *job, struct mpj_err *err)
{
    json_t *const numbers = json_object();
    int result = MPJ_E_OK;

    t->build = calloc(t->points, sizeof(*t->build));
    if (t->build == NULL || numbers == NULL)
        result = no_memory(err);
    for (unsigned k = 0; result == MPJ_E_OK && k < t->points; k++) {
        struct run_tune_point *const p = &t->point[k];
        char *key;
        const json_t *known;
        if (p->state == RUN_TUNE_INFEASIBLE)
            continue;
        key = run_tune_build_key(t, p);
        known = key != NULL ? json_object_get(numbers, key) : NULL;
        p->build = known != NULL ? (unsigned)json_integer_value(known) : t->builds;
        if (key == NULL) {
            result = no_memory(err);
        } else if (known != NULL) {
            free(key);
        } else {
            json_object_set_new(numbers, key, json_integer(t->builds));
            job[t->builds] = k;
            t->build[t->builds++].key = key;
        }
    }
    json_decref(numbers);
    return result == MPJ_E_OK ? pool(t, job, t->builds, job_build, err) : result;
}

static int job_measure(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct crew *const c = ctx;

    (void)tried;
    return run_tune_measure(c->t, &c->t->point[c->job[job]], stopping, &c->pool, err);
}

/* Points that are to be measured, each key once. */
static int measure(struct run_tune *t, unsigned *job, struct mpj_err *err)
{
    json_t *const seen = json_object();
    char *const version = run_tune_version(err);
    unsigned jobs = 0;
    int result = version == NULL ? err->code : seen == NULL ? no_memory(err) : MPJ_E_OK;

    for (unsigned k = 0; result == MPJ_E_OK && k < t->points; k++) {
        struct run_tune_point *const p = &t->point[k];
        if (p->state == RUN_TUNE_INFEASIBLE)
            continue;
        if (t->build[p->build].reason != NULL) {
            p->state = RUN_TUNE_FAILED;
            p->reason = strdup(t->build[p->build].reason);
            continue;
        }
        result = run_tune_name(t, p, version, err);
        if (result != MPJ_E_OK || json_object_get(seen, p->stem) != NULL)
            continue;
        json_object_set_new(seen, p->stem, json_true());
        if (!run_kept_done(p->stem, p->key) || !run_tune_take(t, p, err))
            job[jobs++] = k;
        result = err->code == MPJ_E_USAGE ? err->code : result;
    }
    free(version);
    json_decref(seen);
    t->measured_now = jobs;
    if (result == MPJ_E_OK)
        result = pool(t, job, jobs, job_measure, err);
    for (unsigned k = 0; result == MPJ_E_OK && k < t->points; k++) {
        struct run_tune_point *const p = &t->point[k];
        if (p->stem != NULL && !run_tune_take(t, p, err) && err->code != MPJ_E_OK)
            result = err->code;
    }
    return result;
}

/* ---- which are best --------------------------------------------------------------------- */

static bool dominates(const struct run_tune *t, const struct run_tune_point *a,
                      const struct run_tune_point *b)
{
    bool better = false;

    for (unsigned i = 0; i < t->objective.n; i++) {
        if (a->objective[i] > b->objective[i])
            return false;
        better = better || a->objective[i] < b->objective[i];
    }
    return better;
}

static void choose(struct run_tune *t)
{
    double low[RUN_TUNE_OBJECTIVES_MAX];
    double high[RUN_TUNE_OBJECTIVES_MAX];
    double nearest = INFINITY;

    t->knee = -1;
    for (unsigned i = 0; i < t->objective.n; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        t->best[i] = -1;
    }
    for (unsigned k = 0; k < t->points; k++) {
        struct run_tune_point *const p = &t->point[k];
        p->front = p->state == RUN_TUNE_MEASURED;
        for (unsigned j = 0; p->front && j < t->points; j++)
            p->front = t->point[j].state != RUN_TUNE_MEASURED || !dominates(t, &t->point[j], p);
        for (unsigned i = 0; p->front && i < t->objective.n; i++) {
            if (p->objective[i] < low[i])
                t->best[i] = (int)k;
            low[i] = fmin(low[i], p->objective[i]);
            high[i] = fmax(high[i], p->objective[i]);
        }
    }
    for (unsigned k = 0; k < t->points; k++) {
        double distance = 0;
        for (unsigned i = 0; i < t->objective.n; i++) {
            const double part =
                high[i] > low[i] ? (t->point[k].objective[i] - low[i]) / (high[i] - low[i]) : 0;
            distance += part * part;
        }
        if (t->point[k].front && distance < nearest) {
            nearest = distance;
            t->knee = (int)k;
        }
    }
}

/* ---- all of it -------------------------------------------------------------------------- */

static int make_folder(const char *folder, const char *within, struct mpj_err *err)
{
    char *const path = run_kept_file(folder, within);
    int result = MPJ_E_OK;

    if (path == NULL)
        return no_memory(err);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        result = mpj_err_errno(err, "cannot make the folder %s", path);
    free(path);
    return result;
}

/* The folder, for us alone: a descriptor. */
static int enter(const char *folder, struct mpj_err *err)
{
    char *lock;
    int fd;

    if (make_folder(folder, "", err) != MPJ_E_OK ||
        make_folder(folder, "/points", err) != MPJ_E_OK ||
        make_folder(folder, "/programs", err) != MPJ_E_OK)
        return err->code;
    lock = run_kept_file(folder, "/lock");
    fd = lock != NULL ? mpj_file_grow(lock, false, err) : no_memory(err);
    if (fd == MPJ_E_BUSY)
        mpj_err_set(err, MPJ_E_BUSY, "another tune is at work in %s; name another folder (-o)",
                    folder);
    free(lock);
    return fd;
}

int run_tune(struct run_tune *t, struct mpj_err *err)
{
    unsigned *job;
    int lock;
    int result;

    if (check(t, err) != MPJ_E_OK || expand(t, err) != MPJ_E_OK ||
        check_results(t, err) != MPJ_E_OK)
        return err->code;
    lock = enter(t->folder, err);
    if (lock < 0)
        return lock;
    mpj_stop_catch();
    job = calloc(t->points, sizeof(*job));
    if (job == NULL) {
        close(lock);
        return no_memory(err);
    }
    result = build(t, job, err);
    if (result == MPJ_E_OK)
        result = measure(t, job, err);
    if (result == MPJ_E_OK)
        choose(t);
    free(job);
    close(lock);
    return result;
}
