/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_READS_INT_H
#define RUN_READS_INT_H

#include "run/reads.h"

/* Tells a source (NULL: none), what it includes, and the words of compiler options that may be
 * files. folder: where relative names begin; NULL: the current one. As those in run/reads.h. */
int run_reads_source(const struct run_reads *r, const char *folder, const char *source,
                     const char *options, struct mpj_err *err);

#endif
