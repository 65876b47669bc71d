/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The further commands that the summary of a run suggests. */
#ifndef VIEW_HINTS_H
#define VIEW_HINTS_H

#include "report/report.h"

/* A finding as a line, the command that shows more of it, and the argument of `mpjoule run
 * --what-if` that estimates how much there is to save; NULL: none does. */
typedef void hint_each(void *ctx, const char *text, const char *command, const char *what_if);
/* Passes all findings, the most promising first. */
void hints_of(const struct mpj_report *r, hint_each *each, void *ctx);
/* Writes the command that repeats the run with that change; what_if: as hint_each gets it. */
void hint_command(const struct mpj_run *run, const char *what_if, FILE *f);

#endif
