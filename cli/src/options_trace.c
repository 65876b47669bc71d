/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `run` that look inside the program, on the target. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli_options.h"

#define GROUPS 1U
#define BRIEF  30000U /* cycles */

enum key {
    KEY_SAMPLES = 600, /* no other group of options has these numbers */
    KEY_SAMPLE_EVENT,
    KEY_EVERY,
    KEY_ENTRIES,
    KEY_WARM_UP,
    KEY_PERIOD,
    KEY_PERIODS,
    KEY_GROUPS,
    KEY_RECORDS,
    KEY_BRIEF,
    KEY_FILTER,
    KEY_TIMES,
    KEY_HAPPENINGS,
};

static void add_name(struct argp_state *state, const char *option, const char **list, unsigned *n,
                     const char *name)
{
    if (*n == RUN_NAMES_MAX)
        argp_error(state, "%s is allowed at most %d times", option, RUN_NAMES_MAX);
    list[(*n)++] = name;
}

/* Parses options as in uftrace, which `report` has as well. False: another option. */
static bool parse_filter(int key, const char *arg, struct argp_state *state, struct run_options *o)
{
    double microjoules = 0;
    double s = 0;

    switch (key) {
    case 'F':
        add_name(state, "-F", o->only, &o->onlys, arg);
        return true;
    case 'N':
        add_name(state, "-N", o->without, &o->withouts, arg);
        return true;
    case 'D':
        o->depth = (unsigned)cli_whole(state, "-D", arg, 1, 1000000000);
        return true;
    case 't':
        cli_least(state, arg, &s, &microjoules);
        if (!(s > 0) || s > 1)
            argp_error(state, "-t takes a time of at most 1 s for --entries, not \"%s\"", arg);
        o->trace.least_ns = (uint32_t)(s * 1e9 + 0.5);
        return true;
    default:
        return false;
    }
}

/* Returns the next word of a line, up to a comment; NULL: none. */
static const char *words(char **rest)
{
    char *word;

    do {
        word = strsep(rest, " \t\r\n");
    } while (word != NULL && *word == '\0');
    if (word != NULL && *word == '#')
        *rest = NULL;
    return word == NULL || *word == '#' ? NULL : word;
}

/* Reads a file of filters: an option and its argument on each line; '#' begins a comment. */
static void read_filter(struct argp_state *state, struct run_options *o, const char *path)
{
    struct mpj_err err;
    FILE *const f = mpj_file_text(path, &err);
    char *line = NULL;
    size_t room = 0;

    if (f == NULL)
        argp_error(state, "%s", err.text);
    while (f != NULL && getline(&line, &room, f) >= 0) {
        char *rest = line;
        const char *const word = words(&rest);
        const char *const arg = words(&rest);

        if (word == NULL)
            continue;
        if (word[0] != '-' || word[1] == '\0' || word[2] != '\0' || arg == NULL ||
            words(&rest) != NULL || !parse_filter(word[1], arg, state, o))
            argp_error(state, "%s: \"%s\": expected -F NAME, -N NAME, -D N or -t TIME", path, word);
        line = NULL; /* names stay in use */
        room = 0;
    }
    free(line);
    if (f != NULL)
        fclose(f);
}

static void sample_event(struct argp_state *state, struct run_options *o, const char *name)
{
    const struct mpj_event_info *const e = mpj_event_by_name(name, strlen(name));

    if (e == NULL || e->source != MPJ_SOURCE_PMU) {
        argp_error(state,
                   "--sample-event takes an event of the cores, not \"%s\" "
                   "(`mpjoule help events` lists them)",
                   name);
        return;
    }
    o->trace.event = e->number;
    o->trace.flags |= MPJ_TRACE_EVENT;
}

static void check(struct argp_state *state, struct run_options *o)
{
    const bool event = (o->trace.flags & MPJ_TRACE_EVENT) != 0;

    if (event != (o->trace.every != 0))
        argp_error(state, "--sample-event and --every require each other");
    if (event && o->rotate)
        argp_error(state,
                   "--sample-event cannot be combined with --rotate: its counter would change");
    if (event && o->no_counters)
        argp_error(state, "--no-counters cannot be combined with --sample-event");
    if (!event)
        return;
    if (!o->events)
        (void)mpj_selection_parse(&o->selection, "instr", &(struct mpj_err){0});
    o->selection
        .want[mpj_event_find(MPJ_SOURCE_PMU, o->trace.event) - mpj_event_table(&(size_t){0})] =
        true;
}

static uint32_t microseconds(struct argp_state *state, const char *name, const char *ms,
                             double least)
{
    return (uint32_t)(cli_number(state, name, ms, least / 1e3, 1e6) * 1e3 + 0.5);
}

static void check_entries(struct argp_state *state, struct run_options *o)
{
    struct mpj_trace_config *const t = &o->trace;

    if ((t->flags & MPJ_TRACE_FUNCTIONS) == 0) {
        if (t->warm_us != 0 || t->period_us != 0 || t->periods != 0 || t->groups != 0 ||
            t->records != 0 || t->brief != BRIEF || (t->flags & MPJ_TRACE_CALLS) != 0 ||
            t->least_ns != 0 || o->onlys != 0 || o->withouts != 0 || o->depth != 0)
            argp_error(state, "--warm-up, --period, --periods, --groups, --records, --brief, "
                              "--entry-times, -F, -N, -D, -t and --filter require --entries");
        return;
    }
    if (o->no_counters || o->no_threads || o->rotate)
        argp_error(state, "--entries counts for each thread, all the time: it cannot be combined "
                          "with --no-counters, --no-threads or --rotate");
    if (t->groups == 0)
        t->groups = GROUPS;
    if (t->periods % t->groups != 0)
        argp_error(state, "--periods takes a multiple of the %" PRIu32 " groups (--groups)",
                   t->groups);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *const o = &((struct cli_options *)state->input)->run;

    switch (key) {
    case KEY_SAMPLES:
        o->trace.flags |= MPJ_TRACE_SAMPLES;
        return 0;
    case KEY_SAMPLE_EVENT:
        sample_event(state, o, arg);
        return 0;
    case KEY_EVERY:
        o->trace.every = (uint32_t)cli_whole(state, "--every", arg, MPJ_TRACE_EVERY_MIN, INT32_MAX);
        return 0;
    case KEY_ENTRIES:
        o->trace.flags |= MPJ_TRACE_FUNCTIONS;
        return 0;
    case KEY_TIMES:
        o->trace.flags |= MPJ_TRACE_CALLS;
        return 0;
    case KEY_HAPPENINGS:
        o->trace.flags |= MPJ_TRACE_MOMENTS;
        return 0;
    case KEY_WARM_UP:
        o->trace.warm_us = microseconds(state, "--warm-up", arg, 0);
        return 0;
    case KEY_PERIOD:
        o->trace.period_us = microseconds(state, "--period", arg, TILE_SAMPLE_US_MIN);
        return 0;
    case KEY_PERIODS:
        o->trace.periods = (uint32_t)cli_whole(state, "--periods", arg, 0, 1000000);
        return 0;
    case KEY_GROUPS:
        o->trace.groups = (uint32_t)cli_whole(state, "--groups", arg, 1, MPJ_TRACE_GROUPS_MAX);
        return 0;
    case KEY_RECORDS:
        o->trace.records = (uint32_t)cli_whole(state, "--records", arg, 0, 1000000);
        return 0;
    case KEY_BRIEF:
        o->trace.brief = (uint32_t)cli_whole(state, "--brief", arg, 0, 1000000000);
        return 0;
    case KEY_FILTER:
        cli_file(&((struct cli_options *)state->input)->files, arg, CLI_READ);
        read_filter(state, o, arg);
        return 0;
    case ARGP_KEY_INIT:
        o->trace.brief = BRIEF;
        return 0;
    case ARGP_KEY_END:
        check(state, o);
        check_entries(state, o);
        return 0;
    default:
        return parse_filter(key, arg, state, o) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"samples", KEY_SAMPLES, NULL, 0,
     "Record each core's position at every sample of the ADC: functions by time", 0},
    {"target-moments", KEY_HAPPENINGS, NULL, 0,
     "When threads ran, waited and for what, and executed regions, recorded by the target", 0},
    {"sample-event", KEY_SAMPLE_EVENT, "EVENT", 0,
     "Record each core's position every N counts (--every) of an event: functions by event", 0},
    {"every", KEY_EVERY, "N", 0, "Counts from one sample to the next (--sample-event)", 0},
    {"entries", KEY_ENTRIES, NULL, 0,
     "Measure functions at entry and exit; the program is compiled with `mpjoule cc --functions`",
     0},
    {"warm-up", KEY_WARM_UP, "MS", 0,
     "Measure nothing for this time at the start (--entries; default 0)", 0},
    {"period", KEY_PERIOD, "MS", 0,
     "Length of a period, in which one group of functions is measured (--entries; default: the "
     "sampling period)",
     0},
    {"periods", KEY_PERIODS, "N", 0, "Number of periods (--entries; default 0: until the end)", 0},
    {"groups", KEY_GROUPS, "N", 0, "Groups of functions (--entries; default 1)", 0},
    {"records", KEY_RECORDS, "N", 0,
     "Calls of a function to measure in a period (--entries; default 0: all, but only some of a "
     "function called often)",
     0},
    {"brief", KEY_BRIEF, "CYCLES", 0,
     "Measure only some calls of a function with fewer cycles between its calls (--entries; "
     "default 30000)",
     0},
    {"entry-times", KEY_TIMES, NULL, 0,
     "Keep each call that is measured: power of functions over time (--entries)", 0},
    {NULL, 'F', "NAME", 0, "Measure only NAME and what it calls (--entries); repeatable", 0},
    {NULL, 'N', "NAME", 0, "Do not measure NAME and what only it calls (--entries); repeatable", 0},
    {NULL, 'D', "N", 0, "Measure N levels of calls, from those of -F or main() (--entries)", 0},
    {NULL, 't', "TIME", 0,
     "Do not measure functions whose calls take less, such as 5us (--entries)", 0},
    {"filter", KEY_FILTER, "FILE", 0, "File with -F, -N, -D and -t, one per line (--entries)", 0},
    {0},
};

const struct argp cli_trace_argp = {.options = known, .parser = parse};
