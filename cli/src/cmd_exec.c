/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule exec: run a program of the target as if it were one of this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "project/build.h"
#include "run/options.h"

#define FIXED 24 /* words that are not the user's */

/* The arguments of the `mpjoule run` that executes the program. */
struct words {
    char *word[FIXED + 2 * RUN_ENV_MAX + RUN_ARGS_MAX + 64];
    int n;
    unsigned variables, left_out;
};

static struct mpj_tempdir folder; /* of the store, which is of no use afterwards */

static void remove_store(void)
{
    mpj_tempdir_remove(&folder);
}

/* Adds a word, whose text is not changed. False: there are too many. */
static bool add(struct words *w, const char *text)
{
    if (w->n + 2 >= (int)(sizeof(w->word) / sizeof(w->word[0])))
        return false;
    w->word[w->n++] = (char *)text;
    w->word[w->n] = NULL;
    return true;
}

/* Adds --env for a variable; a run has at most RUN_ENV_MAX, and PWD is one of them. */
static bool add_variable(void *ctx, const char *variable)
{
    struct words *const w = ctx;

    if (w->variables + 1U >= RUN_ENV_MAX) {
        w->left_out++;
        return false;
    }
    w->variables++;
    return !add(w, "--env") || !add(w, variable);
}

/* Adds the options of `mpjoule run` from the environment; the words stay until the process ends. */
static bool add_options(struct words *w)
{
    const char *const options = getenv("MPJOULE_RUN");
    static char *text; /* the words are in it */
    char *rest = NULL;
    bool ok;

    text = strdup(options != NULL ? options : "");
    ok = text != NULL;
    for (char *word = ok ? strtok_r(text, " \t\n", &rest) : NULL; ok && word != NULL;
         word = strtok_r(NULL, " \t\n", &rest))
        ok = add(w, word);
    return ok;
}

static bool names_folder(const struct words *w)
{
    for (int i = 0; i < w->n; i++) {
        if (strcmp(w->word[i], "--dir") == 0 || strncmp(w->word[i], "--dir=", 6) == 0)
            return true;
    }
    return false;
}

/* Builds the whole command; false: too many arguments, or no memory. */
static bool fill(struct words *w, char **argv, const char *store)
{
    static const char *const fixed[] = {"run", "--quiet", "--no-threads", "--stdin", "-", "-o"};
    char *const here = getcwd(NULL, 0);
    char *variable = NULL;
    bool ok = here != NULL;

    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        ok = ok && add(w, fixed[i]);
    ok = ok && add(w, store) && add_options(w);
    if (ok && !names_folder(w))
        ok = asprintf(&variable, "PWD=%s", here) >= 0 && add(w, "--dir") && add(w, "/") &&
             add(w, "--env") && add(w, variable);
    free(here);
    if (ok)
        run_build_variables(add_variable, w);
    if (w->left_out != 0)
        cli_note("%u environment variables are left out: a run can have at most %u", w->left_out,
                 RUN_ENV_MAX - 1U);
    ok = ok && add(w, argv[1]) && add(w, "--");
    for (int i = 2; ok && argv[i] != NULL; i++)
        ok = add(w, argv[i]);
    return ok;
}

int cmd_exec(int argc, char **argv)
{
    static struct words w;
    const char *const records = getenv(RUN_BUILD_RECORDS);
    char *store = NULL;
    struct mpj_err err;
    int status;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--help-all") == 0)) {
        char *page[] = {argv[0], argv[0], NULL};
        return cmd_help(2, page);
    }
    if (argc < 2 || argv[1][0] == '-') {
        mpj_err_set(
            &err, MPJ_E_USAGE,
            "expected a program: mpjoule exec PROGRAM [ARGS]; options of `mpjoule run` are in "
            "MPJOULE_RUN");
        return cli_fail(&err);
    }
    if (getenv(RUN_BUILD_EXEC) != NULL) /* the emulator needs nothing that a build preloads */
        unsetenv("LD_PRELOAD");
    if (mpj_tempdir_make(&folder, &err) != MPJ_E_OK)
        return cli_fail(&err);
    atexit(remove_store);
    if (asprintf(&store, "%s/run.mpj", folder.path) < 0 || !fill(&w, argv, store)) {
        mpj_err_set(&err, MPJ_E_USAGE, "%s: too many arguments or too little memory", argv[1]);
        return cli_fail(&err);
    }
    cli_suppress_kept();
    status = cmd_run(w.n, w.word);
    if (records != NULL && run_build_record(records, argv + 1, status, store, &err) != MPJ_E_OK)
        cli_note("%s", err.text);
    free(store);
    return status;
}
