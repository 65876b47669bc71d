/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of a sweep. */
#include "base/pool.h"
#include "base/stop.h"
#include "kept.h"
#include "sweep_int.h"

struct crew {
    struct mpj_pool pool;
    struct run_sweep *s;
    unsigned done, running;
};

static void command_line(struct run_words *w, const struct run_sweep *s,
                         const struct run_sweep_point *p)
{
    run_words_add(w, "mpjoule");
    run_words_add(w, "run");
    run_words_add(w, "--quiet");
    run_words_add(w, "--jobs=1");
    for (unsigned i = 0; i < s->options; i++)
        run_words_add(w, "%s", s->option[i]);
    for (unsigned i = 0; i < s->axes; i++) {
        const char *const value = s->axis[i].value[p->index[i]];
        if (s->axis[i].name == NULL)
            run_words_add(w, "--cores=%s", value);
        else
            run_words_add(w, "--env=%s=%s", s->axis[i].name, value);
    }
    run_words_add(w, "--output=%s.mpj", p->stem);
    run_words_add(w, "--json=%s.json", p->stem);
    run_words_add(w, "%s", s->argv[0]);
    run_words_add(w, "--");
    for (unsigned i = 1; i < s->argc; i++)
        run_words_add(w, "%s", s->argv[i]);
}

static bool stopping(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static int make_point(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct crew *const c = ctx;
    struct run_sweep_point *const p = &c->s->point[job];
    struct run_words w = {.n = 0};
    int result;

    (void)tried;
    command_line(&w, c->s, p);
    result = run_kept_make(p->stem, &w, stopping, &c->pool, &p->status, err);
    run_words_free(&w);
    return result;
}

static void progress(const struct crew *c)
{
    if (c->s->progress != NULL)
        c->s->progress(c->s, c->done, c->running);
}

static int had(void *ctx, unsigned job, struct mpj_err *err)
{
    struct crew *const c = ctx;
    struct run_sweep_point *const p = &c->s->point[job];

    (void)err;
    p->made = run_kept_done(p->stem, p->key) && run_sweep_read(p);
    c->done += p->made;
    return p->made;
}

static void begin(void *ctx, unsigned job)
{
    struct crew *const c = ctx;

    (void)job;
    c->running++;
    progress(c);
}

/* A run that could not be started is an error of this machine: the sweep ends. */
static void point_done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err)
{
    struct crew *const c = ctx;
    struct run_sweep_point *const p = &c->s->point[job];

    (void)tried;
    c->running--;
    c->done++;
    p->made = code == MPJ_E_OK;
    p->failed = !p->made || p->status != 0 || !run_sweep_read(p);
    if (!p->failed)
        run_kept_keep(p->stem, p->key);
    if (code != MPJ_E_OK && c->pool.fatal.code == MPJ_E_OK) {
        c->pool.fatal = *err;
        mpj_pool_stop(&c->pool);
    }
    progress(c);
}

int run_sweep(struct run_sweep *s, struct mpj_err *err)
{
    struct crew c = {.s = s,
                     .pool = {.workers = s->jobs,
                              .ctx = &c,
                              .run = make_point,
                              .had = had,
                              .begin = begin,
                              .done = point_done}};

    if (run_sweep_plan(s, err) != MPJ_E_OK)
        return err->code;
    mpj_stop_catch();
    c.pool.jobs = s->points;
    if (mpj_pool_run(&c.pool, err) != MPJ_E_OK)
        return err->code;
    return mpj_stop_count() > 0 ? mpj_err_set(err, MPJ_E_CANCELLED,
                                              "interrupted; run the same command again to "
                                              "resume")
                                : MPJ_E_OK;
}
