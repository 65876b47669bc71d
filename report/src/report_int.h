/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared inside report/ only. */
#ifndef REPORT_INT_H
#define REPORT_INT_H

#include "mpj_run.h"

/* Fills run->truth from the emulator's "mpjoule-truth/1" text. */
int truth_parse(struct mpj_run *run, const char *json, struct mpj_err *err);

/* The text of a deadlock's error record with a name behind each address: variables, and function
 * and line of the calls. s may be NULL. malloc()ed; NULL: no memory. */
struct mpj_symbols;
char *mpj_deadlock_names(struct mpj_symbols *s, const char *text);

#endif
