/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that build a store. */
#ifndef STORE_INT_H
#define STORE_INT_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

#include "base/errors.h"
#include "mpj_records.h"

#define STORE_STATEMENTS 64U

struct import {
    sqlite3 *db;
    struct { /* prepared statements, found by the address of their text */
        const char *sql;
        sqlite3_stmt *stmt;
    } cache[STORE_STATEMENTS];
    size_t cached;
    const char *path; /* where the store takes its place */
    const char *elf;
    const char *log;
    int pass;
    int seq;                   /* numbers records that have no key of their own */
    struct store_fault *fault; /* the first of the pass; NULL: none yet */
    char *truth;
    size_t truth_len;
    char *profile; /* the emulator's, of functions */
    size_t profile_len;
    bool went_well; /* so says the log's last frame */
    char **label;   /* texts of the marks set from the host, the first has number 1 */
    size_t labels;
    struct store_entries *entries; /* and of entries and exits */
    uint32_t brief;                /* as START asked for entries */
    struct store_samples *samples; /* of the pass, from the target; NULL: none yet */
    char *thread_sql;              /* INSERT of a thread; NULL: not made yet */
    struct mpj_err *err;
};

/*
 * The prepared statement of a text that lives as long as the program (a literal), ready to be
 * bound; the import owns it. NULL: an error is set.
 */
sqlite3_stmt *store_statement(struct import *m, const char *sql);
/*
 * Runs one statement, a text as for store_statement(). types has a letter per argument: i int64_t,
 * s text (NULL: null), b pointer and size_t, n nothing (null, no argument: after all others, or
 * these would take each other's).
 */
int store_put(struct import *m, const char *sql, const char *types, ...);
/* Runs a statement whose values are bound. */
int store_run(struct import *m, sqlite3_stmt *stmt);
/* The errors of a failed statement and of a record that cannot be read. */
int store_db_error(struct import *m);
int store_damaged(struct import *m, const char *what);
/* A record counts an event that no table has. */
int store_unknown(struct import *m, const char *source, uint32_t event);
/* A record's text as a string that can be shown anywhere: valid UTF-8 without control characters
 * and those of mpj_text_hides(), with U+FFFD for what is not; text may have lines and tabs. The
 * caller frees. NULL: out of memory.
 */
char *store_text(struct mpj_bytes b);
char *store_line(struct mpj_bytes b);

/* A MACHINE record. */
int store_machine(struct import *m, const struct mpj_rec *rec);

/* "NAME0AFTER, NAME1AFTER, ..." of n columns; allocated, NULL: out of memory. */
char *store_columns(const char *name, unsigned n, const char *after);

/* A FAULT record, and one of its stack. */
int store_fault(struct import *m, const struct mpj_rec *rec);
int store_fault_stack(struct import *m, const struct mpj_rec *rec);
/* The pass is read: the fault's call chain. */
int store_fault_end(struct import *m);
void store_fault_free(struct import *m);

/* What a START frame asks for, and a MOMENTS record: kept until the pass is read. */
void store_samples_asked(struct import *m, const struct mpj_frame *f);
int store_moments(struct import *m, const struct mpj_rec *rec);
/* The pass is read: functions and moments of its samples. */
int store_samples_end(struct import *m);
/* Forgets them. */
void store_samples_free(struct import *m);

struct mpj_moment_rec;
/* The same for FUNCTION and FUNC_GROUPS records, and for moments that are calls. */
int store_entry(struct import *m, const struct mpj_rec *rec);
int store_entry_groups(struct import *m, const struct mpj_rec *rec);
int store_entry_call(struct import *m, const struct mpj_moment_rec *x);
int store_entries_end(struct import *m);
void store_entries_free(struct import *m);

/* The emulator's profile, after the pass's records. */
int store_profile(struct import *m, const void *data, size_t len);

/* A record of the thread profile; nothing for any other kind. */
int store_thread_record(struct import *m, const struct mpj_rec *rec);
/* Names and lines of the addresses in the profile of pass 0. */
int store_places(struct import *m);

#endif
