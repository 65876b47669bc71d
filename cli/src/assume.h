/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One command under each calibration of the assumptions (run/assumptions.h): `mpjoule run
 * --assumptions`. */
#ifndef ASSUME_H
#define ASSUME_H

#include "cli_options.h"

/* Runs `one` in a separate process for each member, and shows their figures with the range. stem
 * and json are those of the whole set: a member's store is STEM-NAME.mpj, its JSON STEM-NAME.json.
 * Returns the exit status: that of the first member whose status is not 0. */
int assume_run(struct cli_options *o, int (*one)(struct cli_options *o, bool first));

#endif
