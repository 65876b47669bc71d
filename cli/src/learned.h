/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decisions about the parallel regions of programs (`mpjoule run --learned FILE`): the best
 * numbers of threads, found by runs of the whole program, so that short programs start decided.
 */
#ifndef LEARNED_H
#define LEARNED_H

#include "variants.h"

/* True if the environment has a policy that minimises something: time, energy, edp, ed2. */
bool learned_policy(const struct run_options *o);
/*
 * Runs the program with the decisions in the file o->learned. Where it has none for this program,
 * its arguments, environment, chip and policy, it runs the program with all threads, with each
 * number of threads, and with the policy, tries the best numbers of each region together, and keeps
 * the best of these runs in the file: all threads unless another is better by half a percent.
 * member executes one of these runs, run the last one. Returns its exit status.
 */
int learned_run(struct cli_options *o, variant_one *member, int (*run)(struct cli_options *o));

#endif
