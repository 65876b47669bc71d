/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_GATE_INT_H
#define RUN_GATE_INT_H

#include <sys/types.h>

#include "run/gate.h"

/* The program of that name; NULL: none. */
struct run_gate_program *run_gate_find(const struct run_gate *g, const char *name);

/* The folder of a program, which is made and marked as a gate's unless it is there. MPJ_E_IO,
 * MPJ_E_FULL, MPJ_E_NOMEM. */
int run_gate_enter(const char *folder, struct mpj_err *err);

/* Removes the programs that were compiled, runs not used for RUN_GATE_CACHE_DAYS, and those
 * used longest ago until the others have at most so many bytes. Only in folders that
 * run_gate_enter() made, or that an older gate did; of others only runs that a gate sampled. A
 * folder in which another gate is at work is left alone; what cannot be removed stays. */
void run_gate_prune(const char *folder, off_t most);

#endif
