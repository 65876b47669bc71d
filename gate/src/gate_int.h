/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_GATE_INT_H
#define RUN_GATE_INT_H

#include <sys/types.h>

#include "gate/gate.h"

/* Returns the program of that name; NULL: none. */
struct run_gate_program *run_gate_find(const struct run_gate *g, const char *name);

/* Creates the folder of a program and marks it as a gate's unless it exists. MPJ_E_IO, MPJ_E_FULL,
 * MPJ_E_NOMEM. */
int run_gate_enter(const char *folder, struct mpj_err *err);

/* Removes compiled programs, runs not used for RUN_GATE_CACHE_DAYS, and those used longest ago
 * until the others have at most this many bytes. Only in folders that run_gate_enter() created, or
 * that an older gate did; in others only runs that a gate sampled. A folder that another gate is
 * using is left alone; entries that cannot be removed stay. */
void run_gate_prune(const char *folder, off_t most);

#endif
