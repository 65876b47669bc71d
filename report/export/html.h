/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page's data in addition to the JSON of the run, each a member with a preceding comma. Arrays
 * are bounded: longer ones are aggregated, and the page reports the resolution. */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

#include "report/report.h"

#define HTML_CELLS_MAX      300000U /* figures of call paths: nodes times items */
#define HTML_SPANS_MAX      120000U /* of all threads */
#define HTML_SAMPLES_MAX    100000U /* of the program counter */
#define HTML_STEPS_MAX      8192U   /* of power over time */
#define HTML_COUNTS_MAX     1024U   /* steps of each event over time */
#define HTML_CODE_LEAST     0.01    /* share of the energy: functions that cost less have no code */
#define HTML_CODE_INSNS_MAX 10000U  /* of all functions */
#define HTML_CODE_ROWS_MAX  20000U  /* source lines of all functions */

/* Writes "profile": functions, call paths, costs. Nothing without a profile. */
int html_profile(const struct mpj_run *run, FILE *f, struct mpj_err *err);
/* Writes "code": source lines and instructions of the functions that cost most, or why there are
 * none. Nothing without a profile. */
int html_code(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* Writes "moments": threads running, waiting, in regions. Nothing without moments. */
int html_moments(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* Writes "samples": the function at each sample of the program counter. Nothing without a profile
 * by samples. */
int html_samples(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* Writes "wave": the emulator's power over time. Nothing without it. */
int html_wave(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* Writes "counts": events of cores over time. Nothing without them. */
int html_counts(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* Writes "adc": samples of a store or raw log. Nothing without them. */
int html_adc(const char *file, FILE *f, struct mpj_err *err);

#endif
