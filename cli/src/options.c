/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that several commands have: of the target, of the measurement, of the program. */
#include "cli_options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum key {
    KEY_BOARDS = 256,
    KEY_WAIT,
    KEY_CALIBRATION,
    KEY_SEED,
    KEY_TIMEOUT,
    KEY_TARGET,
    KEY_QUANTUM,
    KEY_JSON,
    KEY_ENV,
    KEY_DIR,
    KEY_STDIN,
    KEY_COMPRESS,
#define KEY(kind, option, ...) KEY_##option,
    MPJ_SETTINGS_ALL(KEY)
};

double cli_number(struct argp_state *state, const char *name, const char *arg, double low,
                  double high)
{
    char *end;
    const double v = strtod(arg, &end);

    if (end == arg || isspace((unsigned char)*arg) || *end != '\0' || !(v >= low && v <= high))
        argp_error(state, "%s takes a number from %g to %g, not \"%s\"", name, low, high, arg);
    return v;
}

uint64_t cli_whole(struct argp_state *state, const char *name, const char *arg, uint64_t low,
                   uint64_t high)
{
    const bool hex = arg[0] == '0' && (arg[1] == 'x' || arg[1] == 'X');
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(arg, &end, hex ? 16 : 10); /* 010 is ten */
    if (!isdigit((unsigned char)*arg) || *end != '\0' || errno != 0 || v < low || v > high)
        argp_error(state, "%s takes a whole number from %" PRIu64 " to %" PRIu64 ", not \"%s\"",
                   name, low, high, arg);
    return v;
}

/* Parses a setting (mpj_settings.h): milliseconds into microseconds, or a count. */
static uint32_t setting(struct argp_state *state, const char *name, const char *arg, bool is_time,
                        uint32_t least, uint32_t most)
{
    return is_time ? (uint32_t)(cli_number(state, name, arg, least / 1e3, most / 1e3) * 1000 + 0.5)
                   : (uint32_t)cli_whole(state, name, arg, least, most);
}

#define TIME_MS    true
#define TIME_COUNT false
#define SETTING(kind, option, field, since, name, least, most, ...)                                \
    case KEY_##option:                                                                             \
        o->option = setting(state, "--" name, arg, TIME_##kind, least, most);                      \
        return 0;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct cli_options *const c = state->input;
    struct run_options *const o = &c->run;

    switch (key) {
    case KEY_BOARDS:
        o->boards = arg;
        return 0;
    case KEY_WAIT:
        o->wait_s = (unsigned)cli_whole(state, "--wait", arg, 0, CLI_WAIT_MAX);
        return 0;
    case KEY_CALIBRATION:
        o->calibration = arg;
        return 0;
    case KEY_SEED:
        o->seed = cli_whole(state, "--seed", arg, 0, INT64_MAX);
        return 0;
    case KEY_TIMEOUT:
        o->timeout_s = (unsigned)cli_whole(state, "--timeout", arg, 0, 10000000);
        o->patient = o->timeout_s == 0;
        return 0;
    case KEY_TARGET:
        o->target = arg;
        return 0;
    case KEY_QUANTUM:
        o->quantum =
            (uint32_t)cli_whole(state, "--quantum", arg, TILE_QUANTUM_MIN, TILE_QUANTUM_MAX);
        return 0;
        MPJ_SETTINGS_ALL(SETTING)
    case 'j':
        o->jobs = (unsigned)cli_whole(state, "--jobs", arg, 1, CLI_JOBS_MAX);
        return 0;
    case KEY_JSON:
        c->json = arg;
        return 0;
    case KEY_ENV:
        if (strchr(arg, '=') == NULL || o->envc == RUN_ENV_MAX)
            argp_error(state, "--env takes NAME=VALUE, at most %d times", RUN_ENV_MAX);
        o->envp[o->envc++] = arg;
        return 0;
    case KEY_DIR:
        o->dir = arg;
        return 0;
    case KEY_STDIN:
        o->input = strcmp(arg, "-") == 0 ? "/dev/stdin" : arg;
        return 0;
    case KEY_COMPRESS:
        c->compress = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option of_target[] = {
    {"boards", KEY_BOARDS, "FILE", 0, "List of boards (see `mpjoule help boards`)", 0},
    {"wait", KEY_WAIT, "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
    {"calibration", KEY_CALIBRATION, "NAME", 0,
     "Calibration of the modelled chip (default " TILE_CALIBRATION_DEFAULT "); " RUN_NO_MODEL
     ": any QEMU; nothing is measured",
     0},
    {"seed", KEY_SEED, "N", 0,
     "Seed of the modelled noise and delays (default " TILE_TEXT(TILE_SEED_DEFAULT) ")", 0},
    {"timeout", KEY_TIMEOUT, "S", 0, "Give up after S seconds (0: never)", 0},
    {0},
};

#define ROW(kind, option, field, since, name, least, most, help, ...)                              \
    {name, KEY_##option, CLI_SETTING_##kind, 0, help, 0},

static const struct argp_option of_measuring[] = {
    {"target", KEY_TARGET, "NAME", 0,
     "sim: the emulator (default); a board of `mpjoule boards`; or a serial port, /dev/...", 0},
    MPJ_SETTINGS_ALL(ROW) /* --sample-ms, ... */
    {"quantum", KEY_QUANTUM, "CYCLES", 0,
     "Cycles that one emulated core may run ahead of the others (default " TILE_TEXT(
         TILE_QUANTUM_DEFAULT) ")",
     0},
    {"jobs", 'j', "N", 0, "Runs at a time on this machine (default: its processors)", 0},
    {0},
};

static const struct argp_option of_program[] = {
    {"json", KEY_JSON, "FILE", 0, "Also write the result as JSON (-: instead of the report)", 0},
    {"env", KEY_ENV, "NAME=VALUE", 0, "Environment variable of the program; repeatable", 0},
    {"dir", KEY_DIR, "FOLDER", 0,
     "The only folder whose files the program may open (default: none)", 0},
    {"stdin", KEY_STDIN, "FILE", 0,
     "Input of the program (-: stdin of this command; default: empty)", 0},
    {"compress", KEY_COMPRESS, NULL, 0, "Compress the raw log afterwards", 0},
    {0},
};

const struct argp cli_target_argp = {.options = of_target, .parser = parse};
const struct argp cli_measuring_argp = {.options = of_measuring, .parser = parse};
const struct argp cli_program_argp = {.options = of_program, .parser = parse};

void cli_rotate(struct argp_state *state, struct run_options *o, const char *arg)
{
    o->rotate = true;
    if (arg != NULL)
        o->rotate_ms =
            (uint32_t)cli_whole(state, "--rotate", arg, TILE_ROTATE_MS_MIN, TILE_ROTATE_MS_MAX);
}

void cli_rotate_end(struct argp_state *state, struct run_options *o)
{
    if (o->rotate && o->rotate_ms == 0)
        o->rotate_ms = (o->sample_us + 999U) / 1000U;
    if (o->rotate_ms * 1000U % o->sample_us != 0)
        argp_error(state, "--rotate takes a multiple of the sampling period (--sample-ms), %g ms",
                   o->sample_us / 1e3);
}

void cli_program(struct argp_state *state, struct run_options *o, char *arg)
{
    if (o->elf == NULL) {
        o->elf = arg;
        arg = strrchr(arg, '/') != NULL ? strrchr(arg, '/') + 1 : arg;
    }
    if (o->argc + 1 >= RUN_ARGS_MAX)
        argp_error(state, "too many arguments: at most %d", RUN_ARGS_MAX - 1);
    o->argv[o->argc++] = arg;
}

void cli_options_init(struct cli_options *o)
{
    *o = (struct cli_options){.run = {.target = RUN_EMULATOR,
                                      .quantum = TILE_QUANTUM_DEFAULT,
                                      .seed = TILE_SEED_DEFAULT}};
}

void cli_least(struct argp_state *state, const char *arg, double *seconds, double *microjoules)
{
    static const struct {
        const char *unit;
        double seconds, microjoules;
    } units[] = {{"s", 1, 0},   {"ms", 1e-3, 0}, {"us", 1e-6, 0}, {"ns", 1e-9, 0},
                 {"J", 0, 1e6}, {"mJ", 0, 1e3},  {"uJ", 0, 1},    {"nJ", 0, 1e-3}};
    char *end;
    const double v = strtod(arg, &end);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (end == arg || !(v > 0) || strcmp(end, units[i].unit) != 0)
            continue;
        if (units[i].seconds > 0)
            *seconds = v * units[i].seconds;
        else
            *microjoules = v * units[i].microjoules;
        return;
    }
    argp_error(state,
               "-t takes a time or an energy above 0 with its unit, such as 10us or 5uJ; "
               "not \"%s\"",
               arg);
}
