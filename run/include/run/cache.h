/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of `mpjoule` that is kept under a key: the text of its dependencies. Sweeps and tunes
 * consist of them. */
#ifndef RUN_CACHE_H
#define RUN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

/* A command line; its words are freed together. NULL-terminated. */
struct run_words {
    char **word;
    unsigned n, room;
    bool no_memory;
};

__attribute__((format(printf, 2, 3))) void run_words_add(struct run_words *w, const char *format,
                                                         ...);
void run_words_free(struct run_words *w);

/* Room for the text of a SHA-256. */
#define RUN_SUM_SIZE 65
/* Sets the SHA-256 of the emulator: that of EMULATOR.sum if the file is there and has the
 * emulator's size and time (sim/qemu/build.sh), else it reads the emulator. False: it cannot be
 * read. */
bool run_emulator_sum(const char *qemu, char sum[RUN_SUM_SIZE]);
/* Returns the versions of tool and emulator, on which every run depends. Allocated; NULL and
 * err. */
char *run_cache_version(struct mpj_err *err);
/* Writes a text of a key within its line: a backslash and the end of a line are written as two
 * letters. */
void run_cache_key_text(FILE *f, const char *text);
/* Returns the file STEM.END, end with its dot. Allocated; NULL: out of memory. */
char *run_cache_file(const char *stem, const char *end);
/* Takes the folder for this process alone while the returned descriptor is open; negative:
 * MPJ_E_BUSY, MPJ_E_IO. */
int run_cache_lock(const char *folder, struct mpj_err *err);
/* True if the run was executed before: STEM.key has exactly this key. */
bool run_cache_has(const char *stem, const char *key);
/* Removes the key: until it is there again, the run's files are not valid. */
void run_cache_invalidate(const char *stem);
/* Writes the key, as the last file: an interrupted run has none. */
void run_cache_put(const char *stem, const char *key);
/* Marks the run as used now: STEM.key is the newest of its files. */
void run_cache_touch(const char *stem);

#define RUN_ATTEMPT       ".new"        /* STEM.new: the folder of the files of an attempt */
#define RUN_FAILED_ERRORS ".failed.err" /* STEM.failed.err: the messages of one that failed */
/* Begins an attempt at a run, whose older result stays; completes an end that was cut off before.
 * Returns the stem of its files, in the new folder STEM.new. Allocated; NULL and err. */
char *run_cache_begin(const char *stem, struct mpj_err *err);
/* Ends it. whole: removes the key of the older result, and moves the files to STEM.*. Otherwise
 * moves them to STEM.failed.*, in place of those of an earlier failure; the older result stays with
 * its key. */
int run_cache_end(const char *stem, bool whole, struct mpj_err *err);
/* True if the last attempt failed. */
bool run_cache_failed(const char *stem);
/* Removes what attempts left: STEM.failed.* and, of one that was killed, STEM.new. */
void run_cache_forget(const char *stem);
/*
 * Executes `mpjoule` itself with these words, its output in STEM.out and STEM.err; *status as a
 * shell reports it. kept: the descriptor of a board's lock, for the run; -1: none. stopping: as in
 * base/child.h. An error is a failure of this machine.
 */
int run_cache_execute(const char *stem, const struct run_words *w, int kept,
                      bool (*stopping)(void *ctx), void *ctx, int *status, struct mpj_err *err);

/* Calls add for each item of "1..4", "1,2,4", "static,dynamic": add reports its faults. */
int run_values_each(const char *values,
                    int (*add)(void *ctx, const char *text, size_t len, struct mpj_err *err),
                    void *ctx, struct mpj_err *err);

#endif
