/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule sweep: the same program at several degrees of parallelism, compared. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "sweep_show.h"

#define BAR 30

struct sweep_options {
    struct run_sweep run;
    const char *json; /* file; "-": stdout; NULL: none */
};

enum key {
    KEY_CORES = 256,
    KEY_ENV,
    KEY_JSON,
    KEY_PASS_ON, /* and everything above: options of `mpjoule run` that are handed on */
};

static const char *const handed_on[] = {
    "events", "sample-ms", "calibration", "quantum", "seed", "timeout", "dir", "stdin",
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sweep_options *const o = state->input;
    struct run_sweep *const s = &o->run;
    struct mpj_err err;

    if (key >= KEY_PASS_ON && key < KEY_PASS_ON + (int)(sizeof(handed_on) / sizeof(*handed_on))) {
        if (s->options == RUN_SWEEP_OPTIONS_MAX ||
            asprintf(&s->option[s->options], "--%s=%s", handed_on[key - KEY_PASS_ON], arg) < 0)
            argp_error(state, "too many options");
        s->options++;
        if (strcmp(handed_on[key - KEY_PASS_ON], "stdin") == 0)
            s->input = arg;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_CORES:
        if (run_sweep_axis(s, NULL, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        return 0;
    case KEY_ENV:
        if (strchr(arg, '=') == NULL)
            argp_error(state, "--env takes NAME=A..B or NAME=A,B,C, not \"%s\"", arg);
        *strchr(arg, '=') = '\0';
        if (run_sweep_axis(s, arg, arg + strlen(arg) + 1, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case 'j':
        s->jobs = (unsigned)cli_whole(state, "--jobs", arg, 1, CLI_JOBS_MAX);
        return 0;
    case 'o':
        s->folder = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (s->argc == RUN_SWEEP_ARGS_MAX)
            argp_error(state, "too many arguments");
        s->argv[s->argc++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (s->argc == 0)
            argp_error(state, "no program given: pass an ELF file");
        if (s->axes == 0)
            argp_error(state, "nothing varies: pass --cores 1..4 or --env NAME=1..4");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void progress(const struct run_sweep *s, unsigned done, unsigned running)
{
    const unsigned full = s->points > 0 ? BAR * done / s->points : 0;
    char bar[BAR];

    memset(bar, '#', full);
    memset(bar + full, ' ', BAR - full);
    cli_live_line("%u of %u runs, %u under way [%.*s]", done, s->points, running, BAR, bar);
}

int cmd_sweep(int argc, char **argv)
{
    static char name[] = "mpjoule sweep"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"cores", KEY_CORES, "A..B", 0, "Cores in use: a range or a list (1..4; 1,2,4)", 0},
        {"env", KEY_ENV, "NAME=A..B", 0,
         "Environment variable: a range or a list; repeatable, every combination is run", 0},
        {"jobs", 'j', "N", 0, "Runs at a time on this machine (default: its processors)", 0},
        {"output", 'o', "FOLDER", 0, "Folder of the runs (default sweep); finished ones are kept",
         0},
        {"json", KEY_JSON, "FILE", 0, "Also write the table as JSON (-: instead of the text)", 0},
        {"events", KEY_PASS_ON, "E,E", 0, "These are handed on to `mpjoule run`:", 1},
        {"sample-ms", KEY_PASS_ON + 1, "MS", 0, NULL, 1},
        {"calibration", KEY_PASS_ON + 2, "NAME", 0, NULL, 1},
        {"quantum", KEY_PASS_ON + 3, "CYCLES", 0, NULL, 1},
        {"seed", KEY_PASS_ON + 4, "N", 0, NULL, 1},
        {"timeout", KEY_PASS_ON + 5, "S", 0, NULL, 1},
        {"dir", KEY_PASS_ON + 6, "FOLDER", 0, NULL, 1},
        {"stdin", KEY_PASS_ON + 7, "FILE", 0, NULL, 1},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "app.elf [-- ARGS]",
        .doc = "Run a program at several degrees of parallelism and compare time and energy. See "
               "`mpjoule help sweep`."};
    static struct sweep_options o = {.run = {.folder = "sweep", .progress = progress}};
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    result = cli_check_output(o.json, &err);
    if (result == MPJ_E_OK)
        result = run_sweep(&o.run, &err);
    cli_live_clear();
    if (result == MPJ_E_OK)
        result = sweep_show(&o.run, o.json, &err);
    run_sweep_free(&o.run);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
