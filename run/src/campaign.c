/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of a campaign: several at a time, each recorded in the data set as it ends. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/stop.h"
#include "campaign_int.h"
#include "mpj_store.h"
#include "run/recipe.h"

#define TRIES 3U /* of a run, when the infrastructure failed */

/* Shared by the runs under way. A job of the pool is program * passes + pass. */
struct crew {
    struct mpj_pool pool;
    struct run_campaign *c;
    const struct run_campaign_watch *watch;
    unsigned had; /* runs that the data set had before */
    unsigned made, failed;
    double begin; /* host's clock */
};

/* Files of a run under way. */
struct files {
    char log[PATH_MAX], errors[PATH_MAX], store[PATH_MAX];
};

static void name_files(struct files *f, const struct run_campaign *c, unsigned id, unsigned pass)
{
    char stem[PATH_MAX - 16];

    snprintf(stem, sizeof(stem), "%s/%s.%u", c->work, c->program[id].name, pass + 1);
    snprintf(f->log, sizeof(f->log), "%s.mplog", stem);
    snprintf(f->errors, sizeof(f->errors), "%s.emulator.log", stem);
    snprintf(f->store, sizeof(f->store), "%s.mpj", stem);
}

/* The seed of the noise: another one for each run, as on a board, but always the same ones. */
static uint64_t noise_seed(const struct run_campaign *c, unsigned id, unsigned pass)
{
    return (c->o.seed * 1000003U + (uint64_t)id * 64U + pass) & INT64_MAX;
}

static bool cancelled(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static int run_once(struct crew *w, unsigned id, unsigned pass, const struct files *f,
                    struct mpj_err *err)
{
    const struct run_campaign *const c = w->c;
    const struct run_campaign_program *const p = &c->program[id];
    struct mpj_session_result result = {0};
    struct run_recipe recipe = {
        .target = &c->target,
        .image = &p->image,
        .elf = p->elf,
        .program = p->name,
        .argv = (const char *const *)p->argv,
        .log = f->log,
        .errors = f->errors,
        .quantum = c->o.quantum,
        .seed = noise_seed(c, id, pass),
        .session = {.timeout_s = c->o.timeout_s,
                    .cancelled = cancelled,
                    .ctx = &w->pool,
                    .config = {.session = pass + 1,
                               .features = 1U << MPJ_FEATURE_HOST_IO,
                               .cores_mask = c->o.cores_mask,
                               .adc_period_us = c->o.sample_us}},
        .upload = w->watch->upload,
        .upload_ctx = w->watch->ctx,
    };
    bool made;
    int code;

    mpj_plan_select(&c->o.wish, pass, &recipe.session.config);
    if (c->o.rotate)
        mpj_plan_rotation(&c->o.wish, c->o.rotate_ms, &recipe.session.rotation);
    code = run_recipe_make(&recipe, &result, &made, err);
    if (code == MPJ_E_OK && result.end.exit_status != 0)
        code = mpj_err_set(err, MPJ_E_PROGRAM, "it ended with status %d", result.end.exit_status);
    return code;
}

/* Into the data set. */
static int keep(struct crew *w, unsigned id, unsigned pass, const struct files *f,
                struct mpj_err *err)
{
    const char *const log = f->log;
    struct mpj_run *run = NULL;
    int code = mpj_store_build(f->store, &log, 1, NULL, err);

    if (code == MPJ_E_OK)
        code = mpj_run_load(&run, f->store, err);
    unlink(f->store);
    if (code == MPJ_E_OK) {
        mpj_pool_lock(&w->pool);
        code = mpj_dataset_record(w->c->data, id, pass, run, err);
        if (code != MPJ_E_OK) { /* the next run could not be recorded either */
            w->pool.fatal = *err;
            mpj_pool_stop(&w->pool);
        }
        mpj_pool_unlock(&w->pool);
    }
    mpj_run_free(run);
    return code;
}

/* The files of a run that went well are not kept. */
static int make_run(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct crew *const w = ctx;
    const unsigned id = job / w->c->passes;
    const unsigned pass = job % w->c->passes;
    struct files f;
    int code;

    (void)tried;
    name_files(&f, w->c, id, pass);
    code = run_once(w, id, pass, &f, err);
    if (code == MPJ_E_OK)
        code = keep(w, id, pass, &f, err);
    if (code == MPJ_E_OK || code == MPJ_E_CANCELLED) {
        unlink(f.log);
        unlink(f.errors);
    }
    return code;
}

static int had(void *ctx, unsigned job, struct mpj_err *err)
{
    struct crew *const w = ctx;
    bool done = false;
    const int code =
        mpj_dataset_done(w->c->data, job / w->c->passes, job % w->c->passes, &done, err);

    w->had += done;
    return code == MPJ_E_OK ? done : code;
}

static bool again(void *ctx, unsigned job, unsigned tried, const struct mpj_err *err)
{
    (void)ctx;
    (void)job;
    (void)tried;
    return run_may_retry(err->code);
}

static void run_done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err)
{
    struct crew *const w = ctx;
    const unsigned id = job / w->c->passes;
    const unsigned pass = job % w->c->passes;
    struct run_campaign_progress p = {.total = w->pool.jobs};

    if (code == MPJ_E_CANCELLED)
        return;
    w->made++;
    if (code != MPJ_E_OK) {
        w->failed++;
        if (w->watch->failure != NULL)
            w->watch->failure(w->watch->ctx, w->c->program[id].name, pass, w->c->passes, err);
        if (w->pool.fatal.code == MPJ_E_OK &&
            mpj_dataset_failure(w->c->data, id, pass, code, err->text, tried, &w->pool.fatal) !=
                MPJ_E_OK)
            mpj_pool_stop(&w->pool);
    }
    p.done = w->had + w->made;
    p.failed = w->failed;
    p.left_s = (mpj_clock_s() - w->begin) / w->made * (p.total - p.done);
    if (w->watch->progress != NULL)
        w->watch->progress(w->watch->ctx, &p);
}

int run_campaign(struct run_campaign *c, const struct run_campaign_watch *watch,
                 struct mpj_err *err)
{
    struct crew w = {.c = c,
                     .watch = watch,
                     .begin = mpj_clock_s(),
                     .pool = {.jobs = c->programs * c->passes,
                              .workers = run_target_is_board(&c->target) ? 1 : c->o.jobs,
                              .tries = TRIES,
                              .ctx = &w,
                              .run = make_run,
                              .had = had,
                              .again = again,
                              .done = run_done}};

    mpj_stop_catch();
    mpj_pipe_ignore();
    if (mpj_pool_run(&w.pool, err) != MPJ_E_OK)
        return err->code;
    if (mpj_stop_count() > 0)
        return mpj_err_set(err, MPJ_E_CANCELLED,
                           "interrupted with %u of %u runs in %s; run the same command "
                           "again to resume",
                           w.had + w.made - w.failed, w.pool.jobs, c->path);
    return MPJ_E_OK;
}
