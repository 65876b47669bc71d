/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "variants.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "cli.h"

#define TICK_MS 100

int variants_policy(const struct run_options *o)
{
    static const char name[] = "MPJ_ADAPT=";

    for (unsigned i = 0; i < o->envc; i++) {
        if (strncmp(o->envp[i], name, sizeof(name) - 1) == 0 &&
            o->envp[i][sizeof(name) - 1] != '\0')
            return (int)i;
    }
    return -1;
}

/* Runs the command as if it had been given for this variant. */
static int child(const struct cli_options *all, const struct variant *v, bool mute,
                 variant_one *one, pid_t parent)
{
    struct cli_options o = *all;
    const int policy = variants_policy(&all->run);

    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        return CLI_FAILURE;
    if (mute && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return CLI_FAILURE;
    if (v->silent &&
        (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL))
        return CLI_FAILURE;
    if (v->calibration != NULL)
        o.run.calibration = v->calibration;
    if (v->predictor_of != NULL)
        o.run.predictor_of = v->predictor_of;
    if (v->policy != NULL && policy >= 0)
        o.run.envp[policy] = v->policy;
    for (unsigned i = 0; v->what_if != NULL && i < v->what_ifs && i < RUN_WHAT_IFS_MAX; i++)
        o.run.what_if[i] = v->what_if[i];
    if (v->what_if != NULL)
        o.run.what_ifs = v->what_ifs;
    if (v->seed != 0)
        o.run.seed = v->seed;
    o.run.store = v->store;
    o.run.jobs = 1;
    o.json = v->json;
    return one(&o, v->shown);
}

static int begin(const struct cli_options *o, struct variant *v, bool mute, variant_one *one,
                 struct mpj_err *err)
{
    const pid_t self = getpid();

    fflush(NULL);
    v->status = CLI_FAILURE; /* until its own is known */
    v->pid = fork();
    if (v->pid < 0)
        return mpj_err_errno(err, "cannot start a process");
    if (v->pid == 0)
        exit(child(o, v, mute, one, self));
    return MPJ_E_OK;
}

/* Those of one call. */
struct crowd {
    struct variant *v;
    struct pollfd *end; /* of each, readable when it has ended; -1: not running, or not known */
    unsigned n, running;
    bool stopping; /* they have had SIGTERM */
};

static int start(struct crowd *c, unsigned i, const struct cli_options *o, bool mute,
                 variant_one *one, struct mpj_err *err)
{
    if (begin(o, &c->v[i], mute, one, err) != MPJ_E_OK)
        return err->code;
    c->end[i].fd = (int)syscall(SYS_pidfd_open, c->v[i].pid, 0U);
    c->running++;
    return MPJ_E_OK;
}

/* Takes the status of a variant if it has ended; its number may be another process's then. */
static void reap(struct crowd *c, unsigned i)
{
    struct variant *const v = &c->v[i];
    int status;
    const pid_t got = waitpid(v->pid, &status, WNOHANG);

    if (got == 0 || (got < 0 && errno == EINTR))
        return;
    if (got > 0)
        v->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (c->end[i].fd >= 0)
        close(c->end[i].fd);
    c->end[i].fd = -1;
    v->pid = 0;
    c->running--;
}

/* Waits until a variant ends, a tick at most, and passes on a signal to end that a process sent.
 * Other children, which the process may have had before it was mpjoule, are left alone. */
static void turn(struct crowd *c)
{
    const bool stop = !c->stopping && mpj_stop_sent();

    for (unsigned i = 0; stop && i < c->n; i++) {
        if (c->v[i].pid > 0)
            kill(c->v[i].pid, SIGTERM);
    }
    c->stopping = c->stopping || stop;
    poll(c->end, c->n, TICK_MS);
    for (unsigned i = 0; i < c->n; i++) {
        if (c->v[i].pid > 0)
            reap(c, i);
    }
}

/* Returns how many may run at a time. */
static unsigned most(const struct run_options *o)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (o->dir != NULL || strcmp(o->target, RUN_EMULATOR) != 0)
        return 1;
    if (o->jobs > 0)
        return o->jobs;
    return processors > 0 ? (unsigned)processors : 1;
}

int variants_run(const struct cli_options *o, struct variant *v, unsigned n, bool mute,
                 variant_one *one, struct mpj_err *err)
{
    const unsigned limit = most(&o->run);
    struct crowd c = {.v = v, .n = n, .end = calloc(n, sizeof(*c.end))};
    int result = MPJ_E_OK;

    if (c.end == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < n; i++)
        c.end[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    mpj_stop_catch();
    for (unsigned i = 0; i < n && result == MPJ_E_OK; i++) {
        while (c.running >= limit)
            turn(&c);
        if (mpj_stop_count() > 0)
            break;
        cli_live_line("run %u of %u: %s", i + 1, n, v[i].name);
        result = start(&c, i, o, mute, one, err);
    }
    while (c.running > 0)
        turn(&c);
    free(c.end);
    cli_live_clear();
    if (result == MPJ_E_OK && mpj_stop_count() > 0)
        return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    return result;
}
