/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run_check.h"

#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "learned.h"

/* Returns true for an input that each of several runs reads from its beginning; also if it cannot
 * be found: opening it gives the error. */
static bool reads_again(const char *input)
{
    struct stat null;
    struct stat st;

    if (strcmp(input, "/dev/stdin") == 0)
        return false;
    if (stat(input, &st) != 0 || S_ISREG(st.st_mode))
        return true;
    return S_ISCHR(st.st_mode) && stat("/dev/null", &null) == 0 && st.st_rdev == null.st_rdev;
}

/* Checks the input of runs that are repeated. */
static void check_input(struct argp_state *state, const struct cli_options *c)
{
    const char *const option = c->assumptions       ? "--assumptions"
                               : c->learned != NULL ? "--learned"
                               : c->spread > 0      ? "--spread"
                               : c->seeds > 0       ? "--seeds"
                                                    : NULL;

    if (option != NULL && c->run.input != NULL && !reads_again(c->run.input))
        argp_error(state, "%s reads --stdin several times: it must be a regular file", option);
}

/* Checks the options against --assumptions: each member is a calibration of the emulator, and a run
 * that reads and writes alone. */
static void check_assumptions(struct argp_state *state, const struct cli_options *c)
{
    const struct run_options *const o = &c->run;

    if (c->svg != NULL && !c->assumptions)
        argp_error(state, "--svg draws the conclusions of --assumptions");
    if (!c->assumptions)
        return;
    if (o->calibration != NULL)
        argp_error(state, "--assumptions cannot be combined with --calibration: it names several");
    if (strcmp(o->target, RUN_EMULATOR) != 0)
        argp_error(state, "--assumptions needs the emulator: a board has no calibration");
    if (o->gdb != NULL)
        argp_error(state, "--assumptions cannot be combined with --gdb");
}

/* Checks the options against --learned: runs that are compared need a policy, and nothing else. */
static void check_learned(struct argp_state *state, const struct cli_options *c)
{
    if (c->learned == NULL)
        return;
    if (c->assumptions || c->run.gdb != NULL || c->run.bounds > 0)
        argp_error(state, "--learned cannot be combined with --assumptions, --gdb and --bound");
    if (!learned_policy(&c->run))
        argp_error(state, "--learned needs a policy that minimises something: --env "
                          "MPJ_ADAPT=time, energy, edp or ed2");
}

/* Checks the options against --spread: it repeats a run with changed costs. */
static void check_spread(struct argp_state *state, const struct cli_options *c)
{
    if (c->spread == 0)
        return;
    if (c->run.what_ifs == 0)
        argp_error(state, "--spread needs a changed cost: --what-if");
    if (c->run.what_ifs > RUN_WHAT_IFS_MAX - 2)
        argp_error(state, "with --spread, --what-if is allowed at most %d times",
                   RUN_WHAT_IFS_MAX - 2);
    if (c->assumptions || c->learned != NULL || c->run.gdb != NULL || cli_is_stdout(c->json))
        argp_error(state, "--spread cannot be combined with --assumptions, --learned, --gdb and "
                          "--json -");
}

/* Checks the options against --seeds: each run is one of the emulator that ends by itself. */
static void check_seeds(struct argp_state *state, const struct cli_options *c)
{
    const struct run_options *const o = &c->run;

    if (c->seeds == 0)
        return;
    if (strcmp(o->target, RUN_EMULATOR) != 0)
        argp_error(state, "--seeds needs the emulator: a board has no seed");
    if (o->calibration != NULL && strcmp(o->calibration, RUN_NO_MODEL) == 0)
        argp_error(state, "--seeds cannot be combined with --calibration " RUN_NO_MODEL
                          ": without a model nothing is measured");
    if (c->assumptions || c->learned != NULL || c->spread > 0 || o->gdb != NULL || o->bounds > 0)
        argp_error(state, "--seeds cannot be combined with --assumptions, --learned, --spread, "
                          "--gdb and --bound");
    if (o->seed > (uint64_t)INT64_MAX - (c->seeds - 1))
        argp_error(state, "--seed is too large for %u more seeds", c->seeds - 1);
}

void run_check_repeated(struct argp_state *state, const struct cli_options *c)
{
    check_assumptions(state, c);
    check_learned(state, c);
    check_spread(state, c);
    check_seeds(state, c);
    check_input(state, c);
}
