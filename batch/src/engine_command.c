/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes commands of other packages that start tasks. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/stop.h"
#include "engine_int.h"
#include "run/cache.h"

#define WORDS     32U
#define NOT_THERE 127 /* of env */
#define TICK_S    0.1

/* Reads all of a file; allocated. */
static char *content(const char *file)
{
    FILE *const f = fopen(file, "re");
    char *text = NULL;
    size_t size = 0;

    if (f != NULL && getdelim(&text, &size, '\0', f) < 0 && text != NULL)
        text[0] = '\0';
    if (f != NULL)
        fclose(f);
    return text != NULL ? text : strdup("");
}

/* Finds the last line of its output; allocated. */
static char *last_line(const char *file)
{
    char *const all = content(file);
    char *rest = NULL;
    char *last = NULL;

    for (char *l = all != NULL ? strtok_r(all, "\n", &rest) : NULL; l != NULL;
         l = strtok_r(NULL, "\n", &rest))
        last = l;
    if (last != NULL)
        mpj_text_clean(last);
    last = last != NULL ? strdup(last) : NULL;
    free(all);
    return last;
}

/* Evaluates its status: MPJ_E_TARGET, except for those that the caller reads itself. */
static int outcome(const struct run_command *c, const char *errors, int status, bool read,
                   struct mpj_err *err)
{
    char *const line = last_line(errors);

    if (status == NOT_THERE)
        mpj_err_set(err, MPJ_E_TARGET,
                    "%s is missing on this machine: install the package %s, or use --engine local",
                    c->argv[0], c->package);
    else
        mpj_err_set(err, MPJ_E_TARGET, "%s%s", line != NULL ? line : c->argv[0],
                    line != NULL ? "" : " failed without a message");
    free(line);
    return status == 0 || (read && status != NOT_THERE) ? MPJ_E_OK : err->code;
}

int run_command(const struct run_command *c, char **text, int *status, struct mpj_err *err)
{
    const char *words[WORDS] = {"env"};
    char *const out = run_cache_file(c->round->folder, "/command.out");
    char *const errors = run_cache_file(c->round->folder, "/command.err");
    const struct mpj_child child = {.file = "/usr/bin/env",
                                    .argv = words,
                                    .out = out,
                                    .err = errors,
                                    .stopping = c->stopping,
                                    .ctx = c->ctx};
    unsigned n = 1;
    int ended = 0;
    int code;

    if (c->set != NULL)
        words[n++] = c->set;
    for (unsigned i = 0; c->argv[i] != NULL && n + 1 < WORDS; i++)
        words[n++] = c->argv[i];
    code = out != NULL && errors != NULL ? mpj_child_run(&child, &ended, err) : mpj_err_nomem(err);
    if (code == MPJ_E_OK)
        code = outcome(c, errors, ended, status != NULL, err);
    if (code == MPJ_E_OK && text != NULL)
        *text = content(out);
    if (status != NULL)
        *status = ended;
    free(out);
    free(errors);
    return code;
}

void run_pause(double s)
{
    const double end = mpj_clock_s() + s;

    while (mpj_stop_count() == 0 && mpj_clock_s() < end)
        poll(NULL, 0, (int)(TICK_S * 1000));
}
