/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store run.mpj: an SQLite file built from one or more raw logs (docs/store.md). One log is one
 * pass; a run that needs more events than the hardware counts at once has several passes of the
 * same program.
 */
#ifndef REPORT_STORE_H
#define REPORT_STORE_H

#include <stddef.h>

#include "base/errors.h"
#include "report/run.h"

#define MPJ_STORE_VERSION        9 /* PRAGMA user_version, as written */
#define MPJ_STORE_OLDEST         3 /* the oldest that is read */
#define MPJ_STORE_PROFILE        4 /* the first with host time, functions and moments */
#define MPJ_STORE_MEMORY         5 /* the first with stacks and heap */
#define MPJ_STORE_TIMES          6 /* the first with events, calls and decisions over time */
#define MPJ_STORE_CHAIN          7 /* the first with the end of call chains */
#define MPJ_STORE_MACHINE        8 /* the first with the board and its power channels */
#define MPJ_STORE_ERRORS         9 /* the first with how exact functions are */
#define MPJ_STORE_APPLICATION_ID 0x4d504a31 /* PRAGMA application_id, "MPJ1" */

/* Checks, before the program runs, that a store may replace the file at the path, links followed.
 * MPJ_E_USAGE: a device, a pipe, a file that is neither a store nor empty; MPJ_E_IO: no file can be
 * created in the folder. */
int mpj_store_check(const char *path, struct mpj_err *err);

/*
 * Builds the store from the logs, in the order of the passes. elf names the program for function
 * names and lines of faults; NULL: addresses only. The file appears complete or not at all (built
 * as a temporary file in the same folder, then renamed over it; a link remains one). MPJ_E_LOG when
 * a log is damaged; a truncated one is read up to its end. Otherwise as mpj_store_check().
 */
int mpj_store_build(const char *path, const char *const *logs, size_t count, const char *elf,
                    struct mpj_err *err);
/* Builds the store of an attempt that failed for that reason (not err): it is the outcome of the
 * run if all of the logs end well, as when a later pass did not begin. NULL: as mpj_store_build().
 */
int mpj_store_build_failed(const char *path, const char *const *logs, size_t count, const char *elf,
                           const struct mpj_err *why, struct mpj_err *err);

/* Completes a new store, at a temporary path, before it replaces the older one. An error: the older
 * one stays. */
typedef int mpj_store_complete(void *ctx, const char *path, struct mpj_err *err);
/* Builds the store as mpj_store_build(), and calls complete() before it appears at its path. */
int mpj_store_build_with(const char *path, const char *const *logs, size_t count, const char *elf,
                         mpj_store_complete *complete, void *ctx, struct mpj_err *err);

/* The following functions write into a store that mpj_store_complete() has: without a journal, so
 * that they must not be used on one that is in its place. */

/* Adds the time of the program without profiling: bare is that run. */
int mpj_store_bare(const char *path, const struct mpj_run *bare, struct mpj_err *err);
/* Adds which lines of an external meter are the run's: the file with them, before it is in its
 * place. NULL: the run has none, and a file next to the store is another run's. */
int mpj_store_meter(const char *path, const char *lines, struct mpj_err *err);

/* Returns the energy [uJ] of code that ran for that number of cycles with these counts, by index
 * into mpj_event_table(); uncounted events are NAN. The result is NAN when it is unknown. */
typedef double mpj_func_energy(void *ctx, double cycles, const double *ev);
/* Writes energy_fj into the profile of functions measured at entry and exit, of pass 0; counts are
 * those of all passes. MPJ_E_STORE, MPJ_E_FULL. */
int mpj_store_func_energy(const char *path, mpj_func_energy *energy_uj, void *ctx,
                          struct mpj_err *err);

#endif
