/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `mpjoule diff --assumptions`: two runs under each calibration. */
#ifndef DIFF_ASSUME_H
#define DIFF_ASSUME_H

#include "conclude.h"
#include "report/diff.h"

/* Collects what changes from one run to the other under a calibration. */
void diff_conclude(struct conclusions *s, unsigned member, const struct mpj_diff *d);
/* Writes the conclusions about two stores, named as of `mpjoule run --assumptions`: as text or
 * JSON ("mpjoule-diff-assumptions/1"). */
int diff_conclusions(const struct conclusions *s, const char *const file[2], bool json,
                     struct mpj_err *err);

#endif
