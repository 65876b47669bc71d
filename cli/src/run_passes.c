/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "run.h"

/* ---- what the person at the terminal sees, and does --------------------------- */

static volatile sig_atomic_t interrupted;
static struct sigaction pipe_before; /* SIGPIPE as the command found it */

static void on_signal(int sig)
{
    (void)sig;
    interrupted = 1;
}

/* Shared by the passes under way. */
struct crew {
    struct run *run;
    pthread_mutex_t lock;
    unsigned next; /* pass nobody has taken yet */
    unsigned done;
    bool stop;     /* a pass failed: the others need not end */
    bool terminal; /* progress is shown */
    bool line;     /* a progress line is showing */
};

/* What a pass's callbacks need. */
struct seat {
    struct crew *crew;
    unsigned pass;
};

static bool cancelled(void *ctx)
{
    struct crew *const c = ((struct seat *)ctx)->crew;
    bool stop;

    pthread_mutex_lock(&c->lock);
    stop = c->stop || c->run->output != 0;
    pthread_mutex_unlock(&c->lock);
    return stop || interrupted != 0;
}

/* errno of a write that stdout did not take; 0: it took all. */
static int output_error(struct crew *c)
{
    int number;

    pthread_mutex_lock(&c->lock);
    number = c->run->output;
    pthread_mutex_unlock(&c->lock);
    return number;
}

static void wipe(struct crew *c)
{
    if (c->line)
        fputs("\r\033[K", stderr);
    c->line = false;
}

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    const struct seat *const s = ctx;
    FILE *const f = stream == 1 && !cli_is_stdout(s->crew->run->o.json) ? stdout : stderr;

    if (s->pass != 0)
        return; /* the same program says the same */
    pthread_mutex_lock(&s->crew->lock);
    wipe(s->crew);
    if ((fwrite(data, 1, len, f) != len || fflush(f) != 0) && f == stdout &&
        s->crew->run->output == 0)
        s->crew->run->output = errno;
    pthread_mutex_unlock(&s->crew->lock);
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    struct crew *const c = ((struct seat *)ctx)->crew;
    char passes[48] = "";
    char at[48] = "";

    if (!c->terminal)
        return;
    pthread_mutex_lock(&c->lock);
    if (c->run->passes > 1)
        snprintf(passes, sizeof(passes), "%u of %u passes, ", c->done, c->run->passes);
    if (p->target_s > 0) /* records may wait on the target until its end */
        snprintf(at, sizeof(at), ", program at %.3f s", p->target_s);
    cli_live_line("%s%.0f s, %llu bytes recorded%s", passes, p->host_s,
                  (unsigned long long)p->bytes, at);
    c->line = true;
    pthread_mutex_unlock(&c->lock);
}

/* ---- one pass ----------------------------------------------------------------- */

int run_write_meta(struct mpj_log *log, const struct run *r, struct mpj_err *err)
{
    const char *const calibration = run_calibration_name(r);
    char arguments[900] = "";
    char quantum[24];
    char seed[24];
    const struct {
        const char *key, *value;
    } meta[] = {
        {"version", MPJ_VERSION},
        {"target", run_on_board(r) ? r->board->id : RUN_SIM},
        {"program", r->o.argv[0]},
        {"arguments", arguments},
        {"firmware_sha256", r->image.sha256},
        {"calibration", calibration},
        {"quantum", quantum},
        {"seed", seed},
    };

    for (unsigned i = 1; i < r->o.argc; i++) {
        const size_t n = strlen(arguments);
        snprintf(arguments + n, sizeof(arguments) - n, "%s%s", i > 1 ? " " : "", r->o.argv[i]);
    }
    snprintf(quantum, sizeof(quantum), "%u", r->o.quantum);
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->o.seed);
    for (size_t i = 0; i < sizeof(meta) / sizeof(meta[0]); i++) {
        if (i >= 5 && calibration == NULL)
            break; /* nobody knows */
        if (r->calibration == NULL && i >= 6)
            break; /* without a model neither means anything */
        if (mpj_log_meta(log, meta[i].key, meta[i].value, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* What the target leaves alone: everything where there is no model, or what the user says. */
static uint32_t config_flags(const struct run *r, const struct pass *p)
{
    if (p->bare)
        return MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC | MPJ_CONFIG_NO_THREADS;
    if (!run_on_board(r) && r->calibration == NULL)
        return MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_ADC;
    return (r->o.no_counters ? MPJ_CONFIG_NO_COUNTERS : 0U) |
           (r->o.no_threads ? MPJ_CONFIG_NO_THREADS : 0U);
}

static int make_pass(struct seat *seat, struct pass *p)
{
    struct run *const r = seat->crew->run;
    struct mpj_session_opts s = {
        .image = &r->image,
        .identity = r->board != NULL ? &r->board->identity : NULL,
        .argv = r->o.argv,
        .envp = r->o.envp,
        .timeout_s = r->o.timeout_s,
        .console = on_console,
        .progress = on_progress,
        .cancelled = cancelled,
        .ctx = seat,
        .config = {.session = seat->pass + 1,
                   .features = 1U << MPJ_FEATURE_HOST_IO,
                   .cores_mask = r->o.cores_mask,
                   .adc_period_us = r->o.sample_us,
                   .flags = config_flags(r, p)},
    };
    struct mpj_wish nothing = {0};
    struct mpj_err late;
    struct stat st;
    int output;
    int result;

    if (mpj_io_new(&s.io, r->o.dir, r->o.input, &p->err) != MPJ_E_OK)
        return p->err.code;
    mpj_io_terminal(s.io, isatty(cli_is_stdout(r->o.json) ? STDERR_FILENO : STDOUT_FILENO) == 1,
                    isatty(STDERR_FILENO) == 1);
    if (p->bare) { /* the same whatever the others count */
        mpj_wish_defaults(&nothing);
        mpj_plan_select(&nothing, 0, &s.config);
    } else {
        mpj_plan_select(&r->o.wish, seat->pass, &s.config);
    }
    if (r->o.rotate && !(s.config.flags & MPJ_CONFIG_NO_COUNTERS))
        mpj_plan_rotation(&r->o.wish, r->o.rotate_ms, &s.rotation);
    if (mpj_log_create(&s.log, p->log, &p->err) != MPJ_E_OK) {
        mpj_io_free(s.io);
        return p->err.code;
    }
    p->made = true;
    result = run_write_meta(s.log, r, &p->err);
    if (result == MPJ_E_OK)
        result = run_make_target(&s.target, r, p->errors, &p->err);
    if (result == MPJ_E_OK)
        result = run_load_target(r, s.target, cancelled, seat, &p->err);
    if (result == MPJ_E_OK)
        result = mpj_session_run(&s, &p->result, &p->err);
    output = output_error(seat->crew);
    if (result == MPJ_E_CANCELLED && output != 0 && !interrupted)
        result = mpj_err_set(&p->err, MPJ_E_IO, "cannot write what the program prints: %s",
                             strerror(output));
    mpj_target_free(s.target);
    mpj_io_free(s.io);
    if (mpj_log_close(s.log, result, result == MPJ_E_OK ? "" : p->err.text,
                      result == MPJ_E_OK ? &p->err : &late) != MPJ_E_OK &&
        result == MPJ_E_OK)
        result = p->err.code;
    /* the emulator's output is of interest only when there is any */
    if (stat(p->errors, &st) == 0 && st.st_size == 0)
        unlink(p->errors);
    return result;
}

/* ---- all of them -------------------------------------------------------------- */

static void *work(void *arg)
{
    struct crew *const c = arg;

    for (;;) {
        struct seat seat = {.crew = c};
        struct pass *p;
        pthread_mutex_lock(&c->lock);
        seat.pass = c->next;
        if (c->stop || interrupted || seat.pass == c->run->passes) {
            pthread_mutex_unlock(&c->lock);
            return NULL;
        }
        c->next++;
        pthread_mutex_unlock(&c->lock);

        p = &c->run->pass[seat.pass];
        p->code = make_pass(&seat, p);
        for (unsigned i = 0; i < c->run->o.retries && !interrupted && run_may_retry(p->code); i++) {
            pthread_mutex_lock(&c->lock);
            wipe(c);
            fprintf(stderr, "mpjoule: %s; once more (%u of %u)\n", p->err.text, i + 1,
                    c->run->o.retries);
            pthread_mutex_unlock(&c->lock);
            p->code = make_pass(&seat, p);
        }

        pthread_mutex_lock(&c->lock);
        wipe(c);
        c->done++;
        if (p->code != MPJ_E_OK)
            c->stop = true;
        pthread_mutex_unlock(&c->lock);
    }
}

void run_ignore_pipe(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &ignore, &pipe_before);
}

void run_restore_pipe(void)
{
    sigaction(SIGPIPE, &pipe_before, NULL);
}

void run_end_unread(void)
{
    run_restore_pipe();
    raise(SIGPIPE);
}

int run_passes(struct run *r, unsigned *made, struct mpj_err *err)
{
    struct crew crew = {
        .run = r, .lock = PTHREAD_MUTEX_INITIALIZER, .terminal = isatty(STDERR_FILENO) == 1};
    const struct sigaction on = {.sa_handler = on_signal};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = r->o.jobs > 0 ? r->o.jobs : processors > 0 ? (unsigned)processors : 1;
    pthread_t helper[RUN_JOBS_MAX];
    unsigned helpers = 0;
    const struct pass *failed = NULL;

    cli_end_signals(&on);
    run_ignore_pipe();
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */

    if (r->o.dir != NULL)
        jobs = 1; /* passes at the same time would write over each other's files */
    if (jobs > r->passes)
        jobs = r->passes;
    while (helpers + 1 < jobs && helpers < RUN_JOBS_MAX &&
           pthread_create(&helper[helpers], NULL, work, &crew) == 0)
        helpers++;
    work(&crew);
    while (helpers > 0)
        pthread_join(helper[--helpers], NULL);

    *made = 0;
    for (unsigned i = 0; i < r->passes; i++) {
        const struct pass *const p = &r->pass[i];
        if (p->made && *made == i && failed == NULL)
            *made = i + 1;
        /* passes that were called off because of another one are not the reason */
        if (p->code != MPJ_E_OK && (p->code != MPJ_E_CANCELLED || interrupted) && failed == NULL)
            failed = p;
    }
    if (failed != NULL) {
        *err = failed->err;
        return failed->code;
    }
    return crew.done == r->passes ? MPJ_E_OK : mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
}
