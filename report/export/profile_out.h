/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the exports of functions and moments. */
#ifndef PROFILE_OUT_H
#define PROFILE_OUT_H

#include <stdio.h>

#include "report/report.h"

/* A thread, or a core for activity without a thread. */
struct lane {
    int64_t thread, core;
};

/* Figures of an export as whole numbers from 0 on, whose sum is exact: the rounding error of one,
 * or a negative one, is added to the next. */
struct whole {
    int64_t per; /* base units in one */
    int64_t rest;
};

/* True for a view of which formats of the whole run are available: the default one and those of
 * functions. */
bool profile_exports(const struct mpj_view *view);
/* MPJ_E_USAGE: the run has no profile; or writing whole paths would take more than
 * PROFILE_OUT_FRAMES of them. paths: true if the format writes a path in full for each node. */
#define PROFILE_OUT_FRAMES 50000000U
int profile_out_check(const struct mpj_report *r, bool paths, struct mpj_err *err);
/* Formats "made.elf, sha256 0011, calibration mprofiler, quantum 500, modelled, truth": the program
 * and the measurement, since a file may be separated from its report. */
void profile_label(const struct mpj_run *run, char *text, size_t size);
/* Formats "mpjoule 0.2.0". */
void profile_creator(const struct mpj_run *run, char *text, size_t size);

/* Lists threads and cores in the order of their first node; *out is to be freed. */
int profile_lanes(const struct mpj_profile *p, struct lane **out, unsigned *n, struct mpj_err *err);
bool profile_in_lane(const struct mpj_prof_node *n, const struct lane *l);
/* Returns the end of `cycles` that begin at cycle `from`, as ns: 0 to UINT64_MAX, whatever the
 * values of a file. */
uint64_t profile_ns(const struct mpj_profile *p, int64_t from, int64_t cycles);

/* Returns the unit of an item in exports of whole numbers: nJ, cycles, events. */
const char *profile_unit(const struct mpj_profile *p, int item);
struct whole profile_whole(const struct mpj_profile *p, int item);
uint64_t whole_take(struct whole *w, int64_t v);

/* Writes a string of JSON, quoted. */
void profile_json_text(FILE *f, const char *text);

#endif
