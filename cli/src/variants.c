/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "variants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "cli.h"

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
                 variant_one *one)
{
    struct cli_options o = *all;
    const int policy = variants_policy(&all->run);

    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
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
    fflush(NULL);
    v->status = CLI_FAILURE; /* until its own is known */
    v->pid = fork();
    if (v->pid < 0)
        return mpj_err_errno(err, "cannot start a process");
    if (v->pid == 0)
        exit(child(o, v, mute, one));
    return MPJ_E_OK;
}

static void end_one(struct variant *v, unsigned n)
{
    int status;
    pid_t pid;

    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    for (unsigned i = 0; i < n; i++) {
        if (v[i].pid == pid)
            v[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
}

int variants_run(const struct cli_options *o, struct variant *v, unsigned n, bool mute,
                 variant_one *one, struct mpj_err *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const bool alone = o->run.dir != NULL || strcmp(o->run.target, RUN_EMULATOR) != 0;
    const unsigned most = alone             ? 1
                          : o->run.jobs > 0 ? o->run.jobs
                          : processors > 0  ? (unsigned)processors
                                            : 1;
    unsigned running = 0;
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < n && result == MPJ_E_OK; i++) {
        if (running == most) {
            end_one(v, n);
            running--;
        }
        if (mpj_stop_count() > 0)
            break;
        cli_live_line("run %u of %u: %s", i + 1, n, v[i].name);
        result = begin(o, &v[i], mute, one, err);
        running += result == MPJ_E_OK;
    }
    for (; running > 0; running--)
        end_one(v, n);
    cli_live_clear();
    if (result == MPJ_E_OK && mpj_stop_count() > 0)
        return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    return result;
}
