/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `run` for what is looked at inside the program, on the target. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "cli_options.h"

#define GROUPS 4U
#define BRIEF  8000U /* cycles */

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
};

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
        argp_error(state, "--sample-event and --every belong together");
    if (event && o->rotate)
        argp_error(state,
                   "--sample-event cannot be combined with --rotate: its counter would change");
    if (event && o->no_counters)
        argp_error(state, "--no-counters cannot be combined with --sample-event");
    if (!event)
        return;
    if (!o->events)
        (void)mpj_wish_parse(&o->wish, "instr", &(struct mpj_err){0});
    o->wish.want[mpj_event_find(MPJ_SOURCE_PMU, o->trace.event) - mpj_event_table(&(size_t){0})] =
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
            t->records != 0 || t->brief != BRIEF)
            argp_error(state,
                       "--warm-up, --period, --periods, --groups, --records and --brief belong "
                       "to --entries");
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
    case ARGP_KEY_INIT:
        o->trace.brief = BRIEF;
        return 0;
    case ARGP_KEY_END:
        check(state, o);
        check_entries(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"samples", KEY_SAMPLES, NULL, 0,
     "Note where each core is with every sample of the ADC: functions by time", 0},
    {"sample-event", KEY_SAMPLE_EVENT, "EVENT", 0,
     "Note where a core is at every so many counts (--every) of an event: functions by it", 0},
    {"every", KEY_EVERY, "N", 0, "Counts between two notes of --sample-event", 0},
    {"entries", KEY_ENTRIES, NULL, 0,
     "Measure functions at entry and exit; the program is compiled with `mpjoule cc --functions`",
     0},
    {"warm-up", KEY_WARM_UP, "MS", 0, "Nothing is measured for this time (--entries; default 0)",
     0},
    {"period", KEY_PERIOD, "MS", 0,
     "A group of functions is measured for this time (--entries; default: the sampling period)", 0},
    {"periods", KEY_PERIODS, "N", 0, "Number of periods (--entries; default 0: until the end)", 0},
    {"groups", KEY_GROUPS, "N", 0, "Groups of functions (--entries; default 4)", 0},
    {"records", KEY_RECORDS, "N", 0,
     "Calls of a function measured in a period (--entries; default 0: all, of short ones a few)",
     0},
    {"brief", KEY_BRIEF, "CYCLES", 0, "Below it a call is short (--entries; default 8000)", 0},
    {0},
};

const struct argp cli_trace_argp = {.options = known, .parser = parse};
