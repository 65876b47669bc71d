/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule doctor: reports missing dependencies. */
#include <argp.h>
#include <stdio.h>

#include "cli.h"
#include "commands.h"
#include "run/doctor.h"

#define FOUND_MISSING 1

static void show(void *ctx, const struct run_check *check)
{
    static const char *const word[] = {
        [RUN_OK] = "ok", [RUN_NOTE] = "note", [RUN_MISSING] = "MISSING"};
    bool *const missing = ctx;

    *missing |= check->finding == RUN_MISSING;
    if (cli_quiet() && check->finding == RUN_OK)
        return;
    printf("%-8s %-12s %s\n", word[check->finding], check->what, check->found);
    if (check->mend != NULL)
        printf("%-8s %-12s -> %s\n", "", "", check->mend);
    fflush(stdout); /* the next one may take seconds */
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->err_stream = cli_usage_stream();
    return 0;
}

int cmd_doctor(int argc, char **argv)
{
    static char name[] = "mpjoule doctor";
    static const struct argp argp = {
        .parser = parse,
        .doc = "Check the installation and print a fix for each problem. See `mpjoule help "
               "doctor`."};
    struct mpj_err err;
    bool missing = false;

    cli_arguments(&argp, argc, argv, name, NULL);
    if (run_doctor(show, &missing, &err) != MPJ_E_OK)
        return cli_fail(&err);
    return missing ? FOUND_MISSING : 0;
}
