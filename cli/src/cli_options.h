/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that several commands have. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>
#include <stdio.h>

#include "files.h"
#include "report/groups.h"
#include "run/options.h"

#define CLI_GROUPS_MAX 8
#define CLI_JOBS_MAX   64
#define CLI_WAIT_MAX   1000000 /* seconds */

struct cli_options {
    struct run_options run;
    struct mpj_group *group[CLI_GROUPS_MAX]; /* counter groups to count and to show */
    unsigned groups;
    const char *json; /* file; "-": stdout; NULL: none */
    const char *svg;  /* likewise: drawing of the conclusions of --assumptions */
    FILE *json_kept;  /* takes the JSON in place of file and stdout; NULL: they do */
    bool compress;
    const char *learned;    /* file of decisions about parallel regions; NULL: none */
    unsigned spread;        /* disturbances of runs with changed costs; 0: none */
    unsigned seeds;         /* runs with one seed each; 0: one run */
    bool assumptions;       /* under each calibration of the set */
    struct cli_files files; /* of the options that were read: filters, models */
};

/* Argument of a setting (mpj_settings.h) in --help, by its kind. */
#define CLI_SETTING_MS    "MS"
#define CLI_SETTING_COUNT "N"

/* Sets the defaults of a command: the emulator, all its cores. */
void cli_options_init(struct cli_options *o);

/* Parsers for argp's children; their input is the struct cli_options. Options of the target:
 * --boards, --wait, --calibration, --seed, --timeout; of measuring: --target, settings
 * (mpj_settings.h), --quantum, --jobs; of the program: --json, --env, --dir, --stdin, --compress.
 */
extern const struct argp cli_target_argp, cli_measuring_argp, cli_program_argp;

/* Parser likewise for options that look inside the program: --samples and others. */
extern const struct argp cli_trace_argp;

/* Parses --rotate[=MS]; arg: NULL without MS. cli_rotate_end() checks it when the sampling period
 * is known: events are multiplexed when the ADC is read, each time or every few times. Errors end
 * the command. */
void cli_rotate(struct argp_state *state, struct run_options *o, const char *arg);
void cli_rotate_end(struct argp_state *state, struct run_options *o);
/* Takes the program, then its arguments. */
void cli_program(struct argp_state *state, struct run_options *o, char *arg);

/* Parses an option's argument as a number from low to high; anything else is a usage error, also
 * text before or after a number. name: the option's, as it is to be shown. A whole number is
 * decimal, or hexadecimal after 0x. */
double cli_number(struct argp_state *state, const char *name, const char *arg, double low,
                  double high);
uint64_t cli_whole(struct argp_state *state, const char *name, const char *arg, uint64_t low,
                   uint64_t high);
/* Parses the argument of -t: a bound such as 10us or 5uJ, into the one or the other. */
void cli_least(struct argp_state *state, const char *arg, double *seconds, double *microjoules);

#endif
