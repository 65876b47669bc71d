/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells and names of the views of functions. */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include <stdio.h>

#include "mpj_report.h"

/* A unit that a whole column is in. */
struct scale {
    const char *unit; /* "mJ" */
    double per;       /* base units (fJ, cycles) in one */
};
/* The unit in which the largest figure is at least 1; of fJ, of cycles (as time: 10). */
struct scale scale_energy(double fj);
struct scale scale_time(double cycles, uint32_t clock_hz);
/* An item's own: energies as above, counts as they are. */
struct scale scale_item(const struct mpj_profile *p, int item, double most);

/* "profile of functions: truth of the emulator", what a profile is. */
const char *profile_origin(enum mpj_prof_source source);
/* How often something was called, into text[TEXT_DIGITS]; "-" where samples do not tell. */
void profile_calls(const struct mpj_profile *p, uint64_t calls, char *text);
/* Whether (chip) has a line: the truth keeps it apart, unless it was shared out; what is measured
 * on the target knows nothing of it. */
bool profile_has_chip(const struct mpj_profile *p);
/* A line on why a profile that was made on the target has no energy; nothing when it has. */
void profile_no_energy(const struct mpj_profile *p, FILE *f);
/* " [runtime]" and the like; "" for the program's own. */
const char *profile_tag(enum mpj_prof_kind kind);
/* "app.c:12" of a function; "" when unknown. */
void profile_place(const struct mpj_prof_func *func, char *text, size_t size);
/* "1 main", "core 2" of a node or row without a thread. */
void profile_thread(const struct mpj_run *run, int64_t thread, int64_t core, char *text,
                    size_t size);
/* Name of a region by its address; "" for none. */
void profile_region(const struct mpj_run *run, int64_t region, char *text, size_t size);
/* The function whose code begins last at or before an address; NULL: unknown. */
const struct mpj_prof_func *profile_at(const struct mpj_profile *p, int64_t address);

/* A moment as a sentence without time, core and thread. */
void moment_text(const struct mpj_run *run, const struct mpj_moment *m, char *text, size_t size);
/* "runs", "region-begin": the word of a kind in CSV. */
const char *moment_word(enum mpj_moment_kind kind);

/* Columns self_X,total_X of all items as CSV: names, without figures; a row's. With a comma in
 * front of each, energies in uJ. */
void profile_csv_head(const struct mpj_profile *p, FILE *f);
void profile_csv_row(const struct mpj_profile *p, const int64_t *self, const int64_t *total,
                     FILE *f);

#endif
