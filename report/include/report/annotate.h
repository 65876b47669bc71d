/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source and instructions of a function, with the cost of each. */
#ifndef REPORT_ANNOTATE_H
#define REPORT_ANNOTATE_H

#include <stdio.h>

#include "report/run.h"

/*
 * Writes a table of the most expensive lines, then the code in order of address below its source
 * lines. run is the run of that store and has a profile; elf is the program that was run.
 * MPJ_E_USAGE: no such function, or no instruction of it was recorded; MPJ_E_ELF: the program
 * cannot be read.
 */
int mpj_annotate(const struct mpj_run *run, const char *store, const char *elf,
                 const char *function, FILE *out, struct mpj_err *err);

#endif
