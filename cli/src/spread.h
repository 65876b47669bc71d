/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spread of what a changed cost saves under small disturbances: `mpjoule run --what-if --spread`.
 */
#ifndef SPREAD_H
#define SPREAD_H

#include "variants.h"

#define SPREAD_DEFAULT 8U
#define SPREAD_MAX     64U

/*
 * Runs the program with its changed costs, then without and with them, both undisturbed and under
 * o->spread small disturbances: waits for misses of the L1s, and the factors of functions, are a
 * little longer or shorter (at most 1 %). Shows mean and spread of what the changed costs save, and
 * adds them to the JSON of the run ("what_if"). Returns the exit status of the first run.
 */
int spread_run(struct cli_options *o, variant_one *member, int (*run)(struct cli_options *o));

#endif
