/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts tasks by GNU parallel: on this machine, or on those that its own environment names
 * (PARALLEL="-S node1,node2"). A task that failed is tried again, elsewhere if there is another
 * machine.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "engine_int.h"
#include "run/cache.h"

#define FAILED_MAX 101  /* statuses up to here are the number of failed tasks */
#define STARTS     3U   /* of parallel itself, which resumes where its log ends */
#define RETRIES    "10" /* of a task, on as many machines if there are */
#define LOOK_S     0.5

struct watched {
    const struct run_spread *s;
    const struct run_round *r;
    const char *log;
    double begin_s, next_s;
};

static int put_numbers(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_round *const r = what;

    (void)err;
    for (unsigned i = 0; i < r->tasks; i++)
        fprintf(f, "%u\n", i);
    return MPJ_E_OK;
}

/* Counts the lines of the log but for its first: tasks that ended. */
static unsigned count(const char *log)
{
    FILE *const f = fopen(log, "re");
    unsigned n = 0;

    for (int c = f != NULL ? fgetc(f) : EOF; c != EOF; c = fgetc(f))
        n += c == '\n';
    if (f != NULL)
        fclose(f);
    return n > 0 ? n - 1 : 0;
}

/* Sets the shell: without it, tasks do nothing and succeed on a machine whose SHELL is not set (a
 * service's). */
static const char shell[] = "PARALLEL_SHELL=/bin/sh";

/* Watches it while it runs. After a signal to end, parallel waits for its tasks, which end soon
 * then. */
static bool watch(void *ctx)
{
    struct watched *const w = ctx;
    const struct run_batch *const b = w->s->b;
    const double now = mpj_clock_s();

    if (mpj_stop_count() > 0) {
        run_round_abandon(w->r->folder);
        return true;
    }
    if (now >= w->next_s && b->progress != NULL) {
        const unsigned ended = count(w->log);
        const unsigned made = ended * w->r->each < w->s->todos ? ended * w->r->each : w->s->todos;
        b->progress(b->ctx, w->s->done + made, w->r->tasks > ended ? w->r->tasks - ended : 0,
                    made > 0 ? (now - w->begin_s) / made * (w->s->todos - made) : -1);
    }
    if (now >= w->next_s)
        w->next_s = now + LOOK_S;
    return false;
}

static int start(struct watched *w, const char *const *argv, struct mpj_err *err)
{
    const struct run_command c = {.argv = argv,
                                  .set = shell,
                                  .package = "parallel",
                                  .round = w->r,
                                  .stopping = watch,
                                  .ctx = w};
    int status = 0;
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < STARTS; i++) {
        result = run_command(&c, NULL, &status, err);
        if (mpj_stop_count() > 0)
            return mpj_err_set(err, MPJ_E_CANCELLED,
                               "interrupted; run the same command again to resume");
        if (result != MPJ_E_OK || status <= FAILED_MAX)
            return result;
    }
    return err->code;
}

int run_round_parallel(const struct run_spread *s, const struct run_round *r, struct mpj_err *err)
{
    char cwd[PATH_MAX] = "/";
    char jobs[24] = "--jobs=100%";
    char *const numbers = run_cache_file(r->folder, "/numbers");
    char *const log = run_cache_file(r->folder, "/joblog");
    char *const script = run_cache_file(r->folder, "/script");
    const char *const argv[] = {"parallel", "--will-cite", "--quote", "--resume",  "--joblog",
                                log,        "--retries",   RETRIES,   "--workdir", cwd,
                                jobs,       "--arg-file",  numbers,   "/bin/sh",   script,
                                "{}",       NULL};
    struct watched w = {.s = s, .r = r, .log = log, .begin_s = mpj_clock_s()};
    int result;

    if (s->b->engine->jobs > 0)
        snprintf(jobs, sizeof(jobs), "--jobs=%u", s->b->engine->jobs);
    if (numbers == NULL || log == NULL || script == NULL)
        result = mpj_err_nomem(err);
    else if (getcwd(cwd, sizeof(cwd)) == NULL)
        result = mpj_err_errno(err, "cannot find the current folder");
    else if (mpj_file_replace(numbers, put_numbers, r, err) != MPJ_E_OK)
        result = err->code;
    else
        result = start(&w, argv, err);
    free(numbers);
    free(log);
    free(script);
    return result;
}
