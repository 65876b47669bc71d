/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An external power meter during a run: a command, whose lines go to a file. */
#ifndef RUN_METER_PROCESS_H
#define RUN_METER_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/errors.h"

struct meter {
    const char *command, *store;
    char *file, *errors; /* its output; of stderr */
    pthread_t thread;
    bool on;
    atomic_bool stop, ended;
    int status;
    struct mpj_err err;
};

/*
 * Starts the command in a shell, with the store's name as MPJOULE_STORE in its environment; its
 * lines go to STORE's name with .meter.new instead of .mpj. Returns when the first line has come,
 * the command has ended, or after a few seconds. A meter that does not work does not keep the
 * program from running: meter_stop() reports it.
 */
void meter_start(struct meter *m, const char *command, const char *store);
/* Waits for a few more lines, then ends it. said: one line on the fault, "": nothing. */
void meter_stop(struct meter *m, char said[256]);
/* Records in the new store at path which of the meter's lines are its own, before it replaces the
 * older store. */
int meter_note(const char *path, const char *store, bool metered, struct mpj_err *err);
/* Moves the meter's output into place, as the store is, and removes that of an earlier run. */
int meter_place(const char *store, bool metered, struct mpj_err *err);
/* Keeps the meter's output of a failed attempt as NAME.failed.meter, and removes that of an earlier
 * one. */
void meter_fail(const char *store, bool metered);

/* Takes the meter's files of the store for this process until meter_release(); *lock. The output of
 * a run that was killed is kept as NAME.failed.meter. MPJ_E_BUSY: another process's. */
int meter_take(int *lock, const char *store, struct mpj_err *err);
/* Releases them and removes the meter's output, if it is not in its place. */
void meter_release(int lock, const char *store);

#endif
