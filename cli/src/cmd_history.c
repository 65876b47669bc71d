/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule history: figures of programs over commits. */
#include <argp.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "files.h"
#include "gate/history.h"

#define LIMIT 1.0 /* per cent */

enum { KEY_LIMIT = 256 };

struct options {
    const char *folder, *output;
    mpj_history_put *put;
    double limit;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;
    char *end;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'f':
        o->put = mpj_history_format(arg);
        if (o->put == NULL)
            argp_error(state, "--format is one of " MPJ_HISTORY_FORMATS "; not \"%s\"", arg);
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case KEY_LIMIT:
        o->limit = strtod(arg, &end);
        if (end == arg || *end != '\0' || !(o->limit >= 0 && o->limit <= 1e6))
            argp_error(state, "--limit takes per cent, such as 1 or 0.5; not \"%s\"", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one folder");
        o->folder = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->folder == NULL)
            argp_error(state, "expected the folder of a history");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct writing {
    const struct options *o;
    const struct mpj_history *history;
};

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    const struct writing *const w = what;

    return w->o->put(w->history, f, err);
}

/* Checks that the output is not one of the history's own files. */
static int check_output(const struct options *o, struct mpj_err *err)
{
    struct cli_files files = {.n = 0};
    DIR *const d = opendir(o->folder);
    const struct dirent *e;
    int result;

    cli_file(&files, o->output, CLI_WRITTEN);
    while (d != NULL && (e = readdir(d)) != NULL) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", o->folder, e->d_name) < 0)
            continue;
        if (strstr(e->d_name, ".json") != NULL)
            cli_file(&files, path, CLI_READ);
        free(path);
    }
    if (d != NULL)
        closedir(d);
    result = cli_files_check(&files, err);
    cli_files_free(&files);
    return result;
}

int cmd_history(int argc, char **argv)
{
    static char name[] = "mpjoule history"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"format", 'f', "FORMAT", 0, MPJ_HISTORY_FORMATS " (default text)", 0},
        {"output", 'o', "FILE", 0, "File to write (default stdout)", 0},
        {"limit", KEY_LIMIT, "PERCENT", 0, "Allowed above the best commit (default 1)", 0},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .args_doc = "FOLDER",
                                     .doc = "Show figures of programs over commits. See `mpjoule "
                                            "help history`."};
    struct options o = {.put = mpj_history_format("text"), .output = "-", .limit = LIMIT};
    struct mpj_history h = {.files = 0};
    const struct writing w = {&o, &h};
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    result = check_output(&o, &err);
    if (result == MPJ_E_OK)
        result = mpj_history_read(&h, o.folder, o.limit, &err);
    if (result == MPJ_E_OK)
        result = cli_output(MPJ_E_OK, o.output, put, &w, &err);
    result = result != MPJ_E_OK ? cli_fail(&err) : h.beyond ? 1 : 0;
    mpj_history_free(&h);
    return result;
}
