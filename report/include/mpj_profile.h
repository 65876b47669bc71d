/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where inside the program: functions, call paths and moments of a run, as views and exports need
 * them. Tables: docs/store.md.
 *
 * A profile is a call tree in preorder: a node's subtree is the nodes behind it up to `end`. Costs
 * are whole numbers per node and item: of itself (self), and with all that it called (total). What
 * belongs to no core (shared clock, leakage, events of SCU and L2) is in no node but in `chip`.
 */
#ifndef MPJ_PROFILE_H
#define MPJ_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"

/* Where a profile comes from, the most exact first. */
enum mpj_prof_source {
    MPJ_PROF_TRUTH = 0,   /* the emulator */
    MPJ_PROF_ENTRIES = 1, /* entries and exits, measured on the target */
    MPJ_PROF_SAMPLES = 2, /* samples of the program counter on the target */
    MPJ_PROF_SOURCES = 3,
};

enum mpj_prof_kind {
    MPJ_FUNC_PROGRAM = 0,
    MPJ_FUNC_RUNTIME = 1, /* libraries of the firmware */
    MPJ_FUNC_INTERRUPT = 2,
    MPJ_FUNC_IDLE = 3,
    MPJ_FUNC_UNKNOWN = 4,
    MPJ_FUNC_INLINED = 5, /* into its parent */
};

/* In table moment; what object, other and value are. */
enum mpj_moment_kind {
    MPJ_MOMENT_RUNS = 0,         /* the thread gets the core */
    MPJ_MOMENT_STOPS = 1,        /* and loses it. value: enum mpj_stop_reason */
    MPJ_MOMENT_WAITS = 2,        /* object: address; value: enum mpj_wait_kind; other: thread that
                                    holds it, -1: unknown */
    MPJ_MOMENT_WAITED = 3,       /* the wait is over. object: address */
    MPJ_MOMENT_REGION_BEGIN = 4, /* object: region; value: number of threads */
    MPJ_MOMENT_REGION_END = 5,   /* object: region */
    MPJ_MOMENT_MARK = 6,         /* object: seq of table mark */
    MPJ_MOMENT_SAMPLE = 7,       /* object: program counter; other: return address */
    MPJ_MOMENT_KINDS = 8,
};

enum mpj_stop_reason {
    MPJ_STOP_PREEMPTED = 0,
    MPJ_STOP_BLOCKED = 1,
    MPJ_STOP_ENDED = 2,
    MPJ_STOP_YIELDED = 3,
};

#endif
