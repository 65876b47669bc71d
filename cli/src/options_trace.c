/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `run` for what is looked at inside the program, on the target. */
#include <stdint.h>
#include <string.h>

#include "cli_options.h"

enum key {
    KEY_SAMPLES = 600, /* no other group of options has these numbers */
    KEY_SAMPLE_EVENT,
    KEY_EVERY,
};

static void sample_event(struct argp_state *state, struct run_options *o, const char *name)
{
    const struct mpj_event_info *const e = mpj_event_by_name(name, strlen(name));

    if (e == NULL || e->source != MPJ_SOURCE_PMU)
        argp_error(state,
                   "--sample-event takes an event of the cores, not \"%s\" "
                   "(`mpjoule help events` lists them)",
                   name);
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
    case ARGP_KEY_END:
        check(state, o);
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
    {0},
};

const struct argp cli_trace_argp = {.options = known, .parser = parse};
