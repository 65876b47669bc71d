/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: the pool of jobs, requests to end, commands as children. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/pool.h"
#include "base/stop.h"
#include "test_dir.h"

#define JOBS 12U

static struct mpj_err err;

struct work {
    struct mpj_pool pool;
    unsigned made[JOBS]; /* times */
    int code[JOBS];      /* what its runs return */
    unsigned works_at;   /* try that succeeds; 0: as code says */
    unsigned done, failed, running, most;
    unsigned stop_at; /* job that stops the pool */
    bool had[JOBS];
    int had_fails;
};

static int run(void *ctx, unsigned job, unsigned tried, struct mpj_err *e)
{
    struct work *const w = ctx;

    mpj_pool_lock(&w->pool);
    w->made[job]++;
    w->running++;
    if (w->running > w->most)
        w->most = w->running;
    mpj_pool_unlock(&w->pool);
    if (job + 1 == w->stop_at)
        mpj_pool_stop(&w->pool);
    usleep(2000);
    mpj_pool_lock(&w->pool);
    w->running--;
    mpj_pool_unlock(&w->pool);
    if (w->code[job] == MPJ_E_OK || tried + 1 == w->works_at)
        return MPJ_E_OK;
    return mpj_err_set(e, w->code[job], "job %u", job);
}

static int had(void *ctx, unsigned job, struct mpj_err *e)
{
    struct work *const w = ctx;

    if (w->had_fails != 0)
        return mpj_err_set(e, w->had_fails, "no list");
    return w->had[job];
}

static bool again(void *ctx, unsigned job, unsigned tried, const struct mpj_err *e)
{
    (void)ctx;
    (void)job;
    (void)tried;
    return e->code == MPJ_E_LINK;
}

static void done(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *e)
{
    struct work *const w = ctx;

    assert_int_equal(tried, w->made[job]);
    assert_true(code == MPJ_E_OK || e->code == code);
    w->done++;
    w->failed += code != MPJ_E_OK;
}

static void prepare(struct work *w, unsigned workers, unsigned tries)
{
    memset(w, 0, sizeof(*w));
    w->pool = (struct mpj_pool){.jobs = JOBS,
                                .workers = workers,
                                .tries = tries,
                                .ctx = w,
                                .run = run,
                                .had = had,
                                .again = again,
                                .done = done};
}

static void all_of_them(void **state)
{
    static struct work w;

    (void)state;
    for (unsigned workers = 0; workers < 5; workers++) {
        prepare(&w, workers, 1);
        w.had[3] = w.had[7] = true;
        assert_int_equal(mpj_pool_run(&w.pool, &err), MPJ_E_OK);
        assert_int_equal(w.done, JOBS - 2);
        for (unsigned i = 0; i < JOBS; i++)
            assert_int_equal(w.made[i], i != 3 && i != 7);
        if (workers > 0)
            assert_true(w.most <= workers);
    }
}

static void repeated(void **state)
{
    static struct work w;

    (void)state;
    prepare(&w, 2, 3);
    w.works_at = 3;
    w.code[1] = MPJ_E_LINK;    /* succeeds at last */
    w.code[2] = MPJ_E_PROGRAM; /* is not repeated */
    assert_int_equal(mpj_pool_run(&w.pool, &err), MPJ_E_OK);
    assert_int_equal(w.made[1], 3);
    assert_int_equal(w.made[2], 1);
    assert_int_equal(w.failed, 1);
    prepare(&w, 2, 2);
    w.code[1] = MPJ_E_LINK;
    assert_int_equal(mpj_pool_run(&w.pool, &err), MPJ_E_OK);
    assert_int_equal(w.made[1], 2);
    assert_int_equal(w.failed, 1);
    assert_int_equal(w.done, JOBS);
}

static void stopped(void **state)
{
    static struct work w;

    (void)state;
    prepare(&w, 1, 1);
    w.stop_at = 4;
    assert_int_equal(mpj_pool_run(&w.pool, &err), MPJ_E_OK);
    assert_int_equal(w.done, 4);
    assert_true(mpj_pool_stopping(&w.pool));
    prepare(&w, 2, 1);
    w.had_fails = MPJ_E_STORE;
    assert_int_equal(mpj_pool_run(&w.pool, &err), MPJ_E_STORE);
    assert_string_equal(err.text, "no list");
    assert_int_equal(w.done, 0);
}

static void commands(void **state)
{
    const char *const fine[] = {"sh", "-c", "cat; echo here; echo there >&2; exit 3", NULL};
    const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    const char *const missing[] = {"nothing", NULL};
    struct mpj_child c = {.file = "/bin/sh", .argv = fine, .out = "out", .err = "err"};
    char text[16] = "";
    FILE *f;
    int status = -1;

    (void)state;
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_OK);
    assert_int_equal(status, 3);
    f = fopen("out", "re");
    assert_non_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, "here\n");
    c.argv = killed;
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_OK);
    assert_int_equal(status, 128 + SIGKILL);
    c = (struct mpj_child){.file = "/no/such/file", .argv = missing};
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_OK);
    assert_int_equal(status, 127);
}

/* Without SIGCHLD the kernel keeps no status: that is no success. A program's start sets it. */
static void no_status(void **state)
{
    const char *const fails[] = {"sh", "-c", "exit 3", NULL};
    const struct mpj_child c = {.file = "/bin/sh", .argv = fails};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    struct sigaction now;
    int status = -1;

    (void)state;
    assert_int_equal(sigaction(SIGCHLD, &ignore, &before), 0);
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_TARGET);
    assert_string_equal(err.text, "cannot read the exit status of sh: No child processes");
    mpj_stop_begin();
    assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
    assert_true(now.sa_handler == SIG_DFL);
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_OK);
    assert_int_equal(status, 3);
    sigaction(SIGCHLD, &before, NULL);
}

static void too_long(void **state)
{
    const char *const sleeper[] = {"sleep", "600", NULL};
    const struct mpj_child c = {.file = "/bin/sleep", .argv = sleeper, .timeout_s = 1};
    int status = -1;

    (void)state;
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_TIMEOUT);
    assert_int_equal(status, 128 + SIGTERM);
}

/* What it has started ends with it, also when its starter ends first, and is waited for. */
static void whole_group(void **state)
{
    const char *const starter[] = {"sh", "-c",
                                   "(trap 'sleep 1; : >ended; exit' TERM; : >begun; "
                                   "while :; do sleep 0.05; done) & "
                                   "wait",
                                   NULL};
    const struct mpj_child c = {.file = "/bin/sh", .argv = starter, .timeout_s = 5, .group = true};
    int status = -1;

    (void)state;
    unlink("ended");
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_TIMEOUT);
    assert_int_equal(status, 128 + SIGTERM);
    assert_int_equal(access("begun", F_OK), 0);
    assert_int_equal(access("ended", F_OK), 0);
    assert_int_equal(unlink("begun") | unlink("ended"), 0);
}

/* It ends with us, however we end. What has the pipe open has not ended. */
static void killed_starter(void **state)
{
    const char *const starter[] = {"sh", "-c", "sleep 987 & echo >&3; sleep 987; echo", NULL};
    struct mpj_child c = {.file = "/bin/sh", .argv = starter, .group = true};
    struct pollfd p = {.events = POLLIN};
    int status = -1;
    int ends[2];
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    c.kept = ends[1];
    p.fd = ends[0];
    pid = fork();
    if (pid == 0)
        _exit(mpj_child_run(&c, &status, &err) == MPJ_E_OK ? 0 : 1);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(poll(&p, 1, 60000), 1);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* A command has SIGPIPE as we found it, also while we ignore it: twice is as once. */
static void broken_pipe(void **state)
{
    const char *const argv[] = {"sh", "-c", "kill -PIPE $$", NULL};
    const struct mpj_child c = {.file = "/bin/sh", .argv = argv};
    int status = -1;

    (void)state;
    mpj_pipe_ignore();
    mpj_pipe_ignore();
    assert_int_equal(mpj_child_run(&c, &status, &err), MPJ_E_OK);
    mpj_pipe_restore();
    assert_int_equal(status, 128 + SIGPIPE);
}

/* ---- a signal: in a process of its own, whose flag nobody else sees ------------ */

struct sleepers {
    struct mpj_pool pool;
    unsigned ended[JOBS];
    int begun; /* end of a pipe: a byte for each that has begun */
};

static bool pool_stops(void *ctx)
{
    return mpj_pool_stopping(ctx);
}

static int run_sleeper(void *ctx, unsigned job, unsigned tried, struct mpj_err *e)
{
    struct sleepers *const s = ctx;
    const char *const argv[] = {"sleep", "600", NULL};
    const struct mpj_child c = {
        .file = "/bin/sleep", .argv = argv, .stopping = pool_stops, .ctx = &s->pool};
    int status = 0;

    (void)tried;
    if (write(s->begun, "x", 1) != 1)
        return mpj_err_errno(e, "pipe");
    mpj_child_run(&c, &status, e);
    s->ended[job] = (unsigned)status;
    return mpj_err_set(e, MPJ_E_LINK, "ended early");
}

static int interrupted_child(int begun)
{
    static struct sleepers s;
    unsigned ended = 0;

    mpj_stop_catch();
    s.begun = begun;
    s.pool =
        (struct mpj_pool){.jobs = JOBS, .workers = 3, .tries = 5, .ctx = &s, .run = run_sleeper};
    if (mpj_pool_run(&s.pool, &err) != MPJ_E_OK || mpj_stop_count() != 1)
        return 1;
    for (unsigned i = 0; i < JOBS; i++)
        ended += s.ended[i] == 128 + SIGTERM;
    return ended == 3 && s.ended[3] == 0 ? 0 : 2; /* those under way, once each, and no other */
}

static void interrupted(void **state)
{
    int begun[2];
    int status;
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(begun), 0);
    pid = fork();
    if (pid == 0)
        _exit(interrupted_child(begun[1]));
    assert_true(pid > 0);
    close(begun[1]);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(read(begun[0], &byte, 1), 1);
    close(begun[0]);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_them),    cmocka_unit_test(repeated),
        cmocka_unit_test(stopped),        cmocka_unit_test(commands),
        cmocka_unit_test(too_long),       cmocka_unit_test(whole_group),
        cmocka_unit_test(interrupted),    cmocka_unit_test(no_status),
        cmocka_unit_test(killed_starter), cmocka_unit_test(broken_pipe),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
