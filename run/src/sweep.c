/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of a sweep. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/pool.h"
#include "base/stop.h"
#include "sweep_int.h"

#define ARGS_MAX (RUN_SWEEP_ARGS_MAX + RUN_SWEEP_OPTIONS_MAX + RUN_SWEEP_AXES_MAX + 16U)

struct crew {
    struct mpj_pool pool;
    struct run_sweep *s;
    unsigned done, running;
};

/* A command line; its words are freed together. */
struct words {
    char *word[ARGS_MAX + 1];
    unsigned n;
    bool no_memory;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *w, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    if (w->n == ARGS_MAX || vasprintf(&w->word[w->n], format, ap) < 0)
        w->no_memory = true;
    else
        w->n++;
    va_end(ap);
    w->word[w->n] = NULL;
}

static void free_words(struct words *w)
{
    while (w->n > 0)
        free(w->word[--w->n]);
}

static void command_line(struct words *w, const struct run_sweep *s,
                         const struct run_sweep_point *p)
{
    add(w, "mpjoule");
    add(w, "run");
    add(w, "--quiet");
    add(w, "--jobs=1");
    for (unsigned i = 0; i < s->options; i++)
        add(w, "%s", s->option[i]);
    for (unsigned i = 0; i < s->axes; i++) {
        const char *const value = s->axis[i].value[p->index[i]];
        if (s->axis[i].name == NULL)
            add(w, "--cores=%s", value);
        else
            add(w, "--env=%s=%s", s->axis[i].name, value);
    }
    add(w, "--output=%s.mpj", p->stem);
    add(w, "--json=%s.json", p->stem);
    add(w, "%s", s->argv[0]);
    add(w, "--");
    for (unsigned i = 1; i < s->argc; i++)
        add(w, "%s", s->argv[i]);
}

static bool stopping(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static int make_point(void *ctx, unsigned job, unsigned tried, struct mpj_err *err)
{
    struct crew *const c = ctx;
    struct run_sweep_point *const p = &c->s->point[job];
    struct words w = {.n = 0};
    char *const out = run_sweep_file(p, ".out");
    char *const errors = run_sweep_file(p, ".err");
    int result;

    (void)tried;
    command_line(&w, c->s, p);
    if (out == NULL || errors == NULL || w.no_memory) {
        result = mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    } else {
        const struct mpj_child child = {.file = "/proc/self/exe",
                                        .argv = (const char *const *)w.word,
                                        .out = out,
                                        .err = errors,
                                        .stopping = stopping,
                                        .ctx = &c->pool};
        run_sweep_forget(p);
        result = mpj_child_run(&child, &p->status, err);
    }
    free_words(&w);
    free(out);
    free(errors);
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
    p->made = run_sweep_done(p) && run_sweep_read(p);
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
        run_sweep_keep(p);
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
