/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assumptions about what no publication fixes of the chip: a set of calibrations that agree with
 * what is published (docs/assumptions.md). Each is a file in the folder `assumptions` of the
 * calibrations, which includes its base and overrides some parameters.
 */
#ifndef RUN_ASSUMPTIONS_H
#define RUN_ASSUMPTIONS_H

#include "base/errors.h"

#define RUN_ASSUMPTIONS_MAX 32U

/* Names of calibrations, as run_path_calibration() takes them. The first is the default one. Zero
 * before use. */
struct run_assumptions {
    char *name[RUN_ASSUMPTIONS_MAX];
    unsigned names;
};

/*
 * Finds the set, in the order of names, and checks each member as the chip model does. MPJ_E_USAGE:
 * a member is not a calibration (file and line are in err), does not include another one, or is
 * named differently from its file; or there are no members, or too many. MPJ_E_IO: the folder
 * cannot be read. MPJ_E_NOMEM. To be freed in any case.
 */
int run_assumptions_find(struct run_assumptions *a, struct mpj_err *err);
void run_assumptions_free(struct run_assumptions *a);

#endif
