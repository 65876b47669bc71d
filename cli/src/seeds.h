/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mean and spread of a run over several seeds: `mpjoule run --seeds`. */
#ifndef SEEDS_H
#define SEEDS_H

#include "variants.h"

#define SEEDS_MAX 64U

/*
 * Runs the program with its seed, then with the o->seeds - 1 next ones, whose output and stores are
 * dropped. Shows mean, standard deviation, least and most of time, energy and lines moved between
 * cores, and writes the JSON of the first run with these and each run's values ("seeds"). Only runs
 * that end with status 0 have values. Returns the first other status: that of the first run,
 * without any of this, or that of a later one, of which a line on stderr names the seed.
 */
int seeds_run(struct cli_options *o, variant_one *member, int (*run)(struct cli_options *o));

#endif
