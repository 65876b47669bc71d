/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells and names of the views of functions. */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include <stdio.h>

#include "report/report.h"

/* A unit that a whole column is in. */
struct scale {
    const char *unit; /* "mJ" */
    double per;       /* base units (fJ, cycles) in one */
};
/* Returns the unit in which the largest figure is at least 1; of fJ, of cycles (as time: 10). */
struct scale scale_energy(double fj);
struct scale scale_time(double cycles, uint32_t clock_hz);
/* Returns an item's own unit: energies as above, counts unscaled. */
struct scale scale_item(const struct mpj_profile *p, int item, double most);

/* Returns "profile of functions: truth of the emulator", the origin of a profile. */
const char *profile_origin(enum mpj_prof_source source);
/* Formats the number of calls into text[TEXT_DIGITS]; "-" where samples do not determine it. */
void profile_calls(const struct mpj_profile *p, uint64_t calls, char *text);
/* True if (chip) has a line: the truth separates it, unless it was shared out; measurements on the
 * target do not include it. */
bool profile_has_chip(const struct mpj_profile *p);
/* Writes a line on why a profile measured on the target has no energy; nothing when it has
 * energy. */
void profile_no_energy(const struct mpj_profile *p, FILE *f);
/* Formats a standard error of cycles, "4.2 %" of their number, into text[TEXT_DIGITS]. */
void profile_error(double error, double cycles, char *text);
/* Writes a line on functions that take 1 % of the cycles and more and are uncertain, and what to
 * do; nothing when there are none. */
void profile_thin(const struct mpj_profile *p, const struct mpj_prof_table *t, FILE *f);
/* Returns " [runtime]" and the like; "" for the program's own functions. */
const char *profile_tag(enum mpj_prof_kind kind);
/* Formats "app.c:12" of a function; "" when unknown. */
void profile_place(const struct mpj_prof_func *func, char *text, size_t size);
/* Formats "1 main", or "core 2" for a node or row without a thread. */
void profile_thread(const struct mpj_run *run, int64_t thread, int64_t core, char *text,
                    size_t size);
/* Formats the name of a region by its address; "" without a region. */
void profile_region(const struct mpj_run *run, int64_t region, char *text, size_t size);

/* Writes a moment as a sentence without time, core and thread. */
void moment_text(const struct mpj_run *run, const struct mpj_moment *m, char *text, size_t size);
/* Returns "runs", "region-begin": the word of a kind in CSV. */
const char *moment_word(enum mpj_moment_kind kind);

/* Write columns self_X,total_X of all items as CSV: names, without figures; a row's. Each is
 * preceded by a comma, energies are in uJ. */
void profile_csv_head(const struct mpj_profile *p, FILE *f);
void profile_csv_row(const struct mpj_profile *p, const int64_t *self, const int64_t *total,
                     FILE *f);

#endif
