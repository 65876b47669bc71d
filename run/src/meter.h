/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An external power meter beside a run: a command, whose lines go to a file. */
#ifndef METER_H
#define METER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/errors.h"

struct meter {
    const char *command, *store;
    char *file, *errors; /* what it prints; of stderr */
    pthread_t thread;
    bool on;
    atomic_bool stop, ended;
    int status;
    struct mpj_err err;
};

/*
 * Starts the command in a shell, with the store's name as MPJOULE_STORE in its environment; its
 * lines go to STORE's name with .meter.new instead of .mpj. Returns when the first line has come,
 * the command has ended, or after some seconds. A meter that does not work does not keep the
 * program from running: meter_stop() tells.
 */
void meter_start(struct meter *m, const char *command, const char *store);
/* Some more lines, then its end. said: one line of what went wrong, "": nothing. */
void meter_stop(struct meter *m, char said[256]);
/* The store is in its place: so is what the meter said, and nothing of an earlier run. */
int meter_place(const char *store, bool metered, struct mpj_err *err);

/* The files beside the store are ours until meter_release(); *lock. MPJ_E_BUSY: another process's.
 */
int meter_take(int *lock, const char *store, struct mpj_err *err);
/* What the meter said goes, if it is not in its place. */
void meter_release(int lock, const char *store);

#endif
