/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One command under each calibration of the assumptions (run/assumptions.h): `mpjoule run
 * --assumptions`. */
#ifndef ASSUME_H
#define ASSUME_H

#include "variants.h"

/* Returns the name of a member's file, malloc()ed: "run-x.mpj" for "run.mpj", "x" and ".mpj". */
char *assume_file(const char *store, const char *name, const char *end);

/* Runs `one` in a separate process for each member, and shows their figures with the range. stem
 * and json are those of the whole set: a member's store is STEM-NAME.mpj, its JSON STEM-NAME.json.
 * With a policy for regions (MPJ_ADAPT) each member runs without it as well, into
 * STEM-NAME.all.mpj. Returns the exit status: that of the first member whose status is not 0. */
int assume_run(struct cli_options *o, variant_one *one);

#endif
