/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_READS_INT_H
#define RUN_READS_INT_H

#include "run/reads.h"

/* Lists a source (NULL: none), the files it includes, and the words of compiler options that may be
 * files. folder: base of relative names; NULL: the current one. Otherwise as in run/reads.h. */
int run_reads_source(const struct run_reads *r, const char *folder, const char *source,
                     const char *options, struct mpj_err *err);

#endif
