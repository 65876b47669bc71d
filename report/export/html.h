/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page shows beside the JSON of the run, each a member of its data with a comma in front.
 * Arrays are bounded: what is longer is put together, and the page says how far. */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

#include "mpj_report.h"

#define HTML_CELLS_MAX   300000U /* figures of call paths: nodes times items */
#define HTML_SPANS_MAX   120000U /* of all threads */
#define HTML_SAMPLES_MAX 100000U /* of the program counter */
#define HTML_MARKS_MAX   10000U
#define HTML_STEPS_MAX   8192U /* of power over time */
#define HTML_COUNTS_MAX  1024U /* steps of each event over time */

/* "profile": functions, call paths, costs. Nothing without a profile. */
int html_profile(const struct mpj_run *run, FILE *f, struct mpj_err *err);
/* "moments": when threads ran, waited, were in regions; marks. Nothing without moments. */
int html_moments(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* "samples": when the program counter was in which function. Nothing without a profile by samples.
 */
int html_samples(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* "wave": the emulator's power over time. Nothing without. */
int html_wave(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* "counts": events of cores over time. Nothing without. */
int html_counts(const struct mpj_report *r, FILE *f, struct mpj_err *err);
/* "adc": samples of a store or raw log. Nothing without. */
int html_adc(const char *file, FILE *f, struct mpj_err *err);

#endif
