/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of a campaign: several at a time, each recorded in the data set as it ends. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "campaign.h"
#include "cli.h"
#include "mpj_io.h"
#include "mpj_store.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    (void)sig;
    interrupted = 1;
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return interrupted != 0;
}

/* Shared by the runs under way. */
struct crew {
    struct campaign *c;
    pthread_mutex_t lock;
    unsigned passes, total; /* of each program; of all */
    unsigned next;          /* run nobody has looked at yet: program * passes + pass */
    unsigned had;           /* that the data set had before */
    unsigned made, failed;
    double begin;   /* host's clock, seconds */
    unsigned shown; /* last tenth written, when there is no terminal */
    bool terminal, line;
    struct mpj_err fatal; /* code OK: nothing that ends the campaign */
};

/* ---- what the person sees. The lock is held. ---------------------------------- */

static void wipe(struct crew *w)
{
    if (w->line)
        fputs("\r\033[K", stderr);
    w->line = false;
}

static void left(char *out, size_t size, double s)
{
    if (s < 90)
        snprintf(out, size, "%.0f s", s);
    else
        snprintf(out, size, "%.0f min", s / 60);
}

static void show(struct crew *w)
{
    const unsigned done = w->had + w->made;
    const unsigned tenth = w->total > 0 ? done * 10U / w->total : 10U;
    const double each = w->made > 0 ? (mpj_clock_s() - w->begin) / w->made : 0;
    char time[32];

    if (w->c->quiet || (!w->terminal && tenth == w->shown))
        return;
    w->shown = tenth;
    left(time, sizeof(time), each * (w->total - done));
    if (w->terminal)
        cli_live_line("%u of %u runs, %u failed, %s left", done, w->total, w->failed, time);
    else
        fprintf(stderr, "%u of %u runs, %u failed, %s left\n", done, w->total, w->failed, time);
    w->line = w->terminal;
}

static void tell_failure(struct crew *w, const struct campaign_program *p, unsigned pass,
                         const struct mpj_err *err)
{
    wipe(w);
    fprintf(stderr, "mpjoule: %s, pass %u of %u: %s\n", p->name, pass + 1, w->passes, err->text);
}

/* ---- one run ------------------------------------------------------------------ */

/* The seed of the noise: another one for each run, as on a board, but always the same ones. */
static uint64_t noise_seed(const struct campaign *c, unsigned id, unsigned pass)
{
    return (c->base.o.seed * 1000003U + (uint64_t)id * 64U + pass) & INT64_MAX;
}

static int write_meta(struct mpj_log *log, const struct run *r, const struct campaign_program *p,
                      struct mpj_err *err)
{
    const struct {
        const char *key, *value;
    } meta[] = {{"version", MPJ_VERSION},
                {"target", r->o.target},
                {"program", p->name},
                {"firmware_sha256", p->image.sha256}};

    for (size_t i = 0; i < sizeof(meta) / sizeof(meta[0]); i++) {
        if (mpj_log_meta(log, meta[i].key, meta[i].value, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int run_once(struct campaign *c, unsigned id, unsigned pass, const char *log,
                    const char *errors, struct mpj_err *err)
{
    const struct campaign_program *const p = &c->program[id];
    struct run r = c->base;
    struct mpj_session_result result = {0};
    struct mpj_session_opts s = {
        .image = &p->image,
        .identity = r.board != NULL ? &r.board->identity : NULL,
        .argv = (const char *const *)p->argv,
        .timeout_s = r.o.timeout_s,
        .cancelled = cancelled,
        .config = {.session = pass + 1,
                   .features = 1U << MPJ_FEATURE_HOST_IO,
                   .cores_mask = r.o.cores_mask,
                   .adc_period_us = r.o.sample_us},
    };
    struct mpj_err late;
    int code;

    r.o.elf = p->elf;
    r.o.seed = noise_seed(c, id, pass);
    mpj_plan_select(&r.o.wish, pass, &s.config);
    if (r.o.rotate)
        mpj_plan_rotation(&r.o.wish, r.o.rotate_ms, &s.rotation);
    if (mpj_log_create(&s.log, log, err) != MPJ_E_OK)
        return err->code;
    code = mpj_io_new(&s.io, NULL, NULL, err);
    if (code == MPJ_E_OK)
        code = write_meta(s.log, &r, p, err);
    if (code == MPJ_E_OK)
        code = run_make_target(&s.target, &r, errors, err);
    if (code == MPJ_E_OK)
        code = run_load_target(&r, s.target, cancelled, NULL, err);
    if (code == MPJ_E_OK)
        code = mpj_session_run(&s, &result, err);
    mpj_target_free(s.target);
    mpj_io_free(s.io);
    if (mpj_log_close(s.log, code, code == MPJ_E_OK ? "" : err->text,
                      code == MPJ_E_OK ? err : &late) != MPJ_E_OK &&
        code == MPJ_E_OK)
        code = err->code;
    if (code == MPJ_E_OK && result.end.exit_status != 0)
        code = mpj_err_set(err, MPJ_E_PROGRAM, "it ended with status %d", result.end.exit_status);
    return code;
}

/* Into the data set; the files of a run that went well are not kept. */
static int keep(struct crew *w, unsigned id, unsigned pass, const char *stem, const char *log,
                struct mpj_err *err)
{
    char store[PATH_MAX];
    struct mpj_run *run = NULL;
    int code;

    snprintf(store, sizeof(store), "%s.mpj", stem);
    code = mpj_store_build(store, &log, 1, NULL, err);
    if (code == MPJ_E_OK)
        code = mpj_run_load(&run, store, err);
    unlink(store);
    if (code == MPJ_E_OK) {
        pthread_mutex_lock(&w->lock);
        code = mpj_dataset_record(w->c->data, id, pass, run, err);
        if (code != MPJ_E_OK)
            w->fatal = *err; /* no use going on */
        pthread_mutex_unlock(&w->lock);
    }
    mpj_run_free(run);
    return code;
}

/* A run until it succeeds, or fails for good. */
static int make_run(struct crew *w, unsigned id, unsigned pass, unsigned *tries,
                    struct mpj_err *err)
{
    struct campaign *const c = w->c;
    char stem[PATH_MAX - 16];
    char log[PATH_MAX];
    char errors[PATH_MAX];
    int code;

    snprintf(stem, sizeof(stem), "%s/%s.%u", c->work, c->program[id].name, pass + 1);
    snprintf(log, sizeof(log), "%s.mplog", stem);
    snprintf(errors, sizeof(errors), "%s.emulator.log", stem);
    for (*tries = 1;; (*tries)++) {
        code = run_once(c, id, pass, log, errors, err);
        if (code == MPJ_E_OK)
            code = keep(w, id, pass, stem, log, err);
        if (code == MPJ_E_OK || !run_may_retry(code) || *tries == CAMPAIGN_TRIES || interrupted)
            break;
    }
    if (code == MPJ_E_OK || code == MPJ_E_CANCELLED) {
        unlink(log);
        unlink(errors);
    }
    return code;
}

/* ---- all of them -------------------------------------------------------------- */

/* The next run the data set lacks: program * passes + pass; false: none is left. Lock held. */
static bool take(struct crew *w, unsigned *out)
{
    while (w->next < w->total && w->fatal.code == MPJ_E_OK && !interrupted) {
        const unsigned i = w->next++;
        bool done;
        if (mpj_dataset_done(w->c->data, i / w->passes, i % w->passes, &done, &w->fatal) !=
            MPJ_E_OK)
            return false;
        if (!done) {
            *out = i;
            return true;
        }
        w->had++;
    }
    return false;
}

static void *work(void *arg)
{
    struct crew *const w = arg;
    unsigned i;

    for (;;) {
        struct mpj_err err = {0};
        unsigned tries;
        bool any;
        int code;

        pthread_mutex_lock(&w->lock);
        any = take(w, &i);
        pthread_mutex_unlock(&w->lock);
        if (!any)
            return NULL;
        code = make_run(w, i / w->passes, i % w->passes, &tries, &err);
        pthread_mutex_lock(&w->lock);
        if (code != MPJ_E_CANCELLED) {
            w->made++;
            if (code != MPJ_E_OK) {
                w->failed++;
                tell_failure(w, &w->c->program[i / w->passes], i % w->passes, &err);
                if (w->fatal.code == MPJ_E_OK)
                    mpj_dataset_failure(w->c->data, i / w->passes, i % w->passes, code, err.text,
                                        tries, &w->fatal);
            }
            show(w);
        }
        pthread_mutex_unlock(&w->lock);
    }
}

int campaign_runs(struct campaign *c, unsigned *failed, struct mpj_err *err)
{
    struct crew crew = {.c = c,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .passes = c->base.passes,
                        .total = c->programs * c->base.passes,
                        .begin = mpj_clock_s(),
                        .terminal = isatty(STDERR_FILENO) == 1};
    struct sigaction on = {.sa_handler = on_signal};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned jobs = c->base.o.jobs > 0 ? c->base.o.jobs
                          : processors > 0   ? (unsigned)processors
                                             : 1;
    pthread_t helper[RUN_JOBS_MAX];
    unsigned helpers = 0;

    cli_end_signals(&on);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
    while (helpers + 1 < jobs && helpers < RUN_JOBS_MAX &&
           pthread_create(&helper[helpers], NULL, work, &crew) == 0)
        helpers++;
    work(&crew);
    while (helpers > 0)
        pthread_join(helper[--helpers], NULL);
    wipe(&crew);
    *failed = crew.failed;
    if (crew.fatal.code != MPJ_E_OK) {
        *err = crew.fatal;
        return err->code;
    }
    if (interrupted)
        return mpj_err_set(err, MPJ_E_CANCELLED,
                           "interrupted with %u of %u runs in %s; the same command goes on",
                           crew.had + crew.made - crew.failed, crew.total, c->path);
    return MPJ_E_OK;
}
