/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the files that build a store. */
#ifndef STORE_INT_H
#define STORE_INT_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

#include "base/errors.h"
#include "mpj_records.h"
#include "report/store.h"

#define STORE_STATEMENTS 64U

struct import {
    sqlite3 *db;
    struct { /* prepared statements, found by the address of their text */
        const char *sql;
        sqlite3_stmt *stmt;
    } cache[STORE_STATEMENTS];
    size_t cached;
    const char *path; /* final path of the store */
    const char *elf;
    const char *log;
    const struct mpj_err *why;    /* of the failed attempt; NULL: none failed */
    mpj_store_complete *complete; /* the new file; NULL: it is complete */
    void *complete_ctx;
    int pass;
    int seq;                   /* numbers records that have no key of their own */
    struct store_fault *fault; /* the first of the pass; NULL: no fault yet */
    char *truth;
    size_t truth_len;
    char *profile; /* the emulator's, of functions */
    size_t profile_len;
    bool went_well; /* by the log's last frame */
    char **label;   /* texts of the marks set from the host, the first has number 1 */
    size_t labels;
    struct store_entries *entries; /* and of entries and exits */
    uint32_t brief;                /* as START asked for entries */
    struct store_samples *samples; /* of the pass, from the target; NULL: no samples yet */
    char *thread_sql;              /* INSERT of a thread; NULL: not built yet */
    struct mpj_err *err;
};

/*
 * Returns the prepared statement of a text that lives as long as the program (a literal), ready to
 * be bound; the import owns it. NULL: an error is set.
 */
sqlite3_stmt *store_statement(struct import *m, const char *sql);
/*
 * Runs one statement, a text as for store_statement(). types has a letter per argument: i int64_t,
 * s text (NULL: null), b pointer and size_t, n null (without an argument; must follow all others,
 * otherwise arguments are mismatched).
 */
int store_put(struct import *m, const char *sql, const char *types, ...);
/* Runs a statement whose values are bound. */
int store_run(struct import *m, sqlite3_stmt *stmt);
/* Set the errors of a failed statement and of a record that cannot be read. */
int store_db_error(struct import *m);
int store_damaged(struct import *m, const char *what);
/* Sets the error for a record that counts an event that no table has. */
int store_unknown(struct import *m, const char *source, uint32_t event);
/* Returns a record's text as a string that can be shown anywhere: valid UTF-8 without control
 * characters and those of mpj_text_hides(), with U+FFFD for all others; text may have lines and
 * tabs. The caller frees. NULL: out of memory. */
char *store_text(struct mpj_bytes b);
char *store_line(struct mpj_bytes b);

/* Stores a MACHINE record. */
int store_machine(struct import *m, const struct mpj_rec *rec);

/* Returns "NAME0AFTER, NAME1AFTER, ..." of n columns; allocated, NULL: out of memory. */
char *store_columns(const char *name, unsigned n, const char *after);

/* Store a FAULT record, and one of its stack. */
int store_fault(struct import *m, const struct mpj_rec *rec);
int store_fault_stack(struct import *m, const struct mpj_rec *rec);
/* Writes the fault's call chain at the end of the pass. */
int store_fault_end(struct import *m);
void store_fault_free(struct import *m);

/* Take the request of a START frame, and a MOMENTS record: kept until the end of the pass. */
void store_samples_asked(struct import *m, const struct mpj_frame *f);
int store_moments(struct import *m, const struct mpj_rec *rec);
/* Writes functions and moments of the samples at the end of the pass. */
int store_samples_end(struct import *m);
/* Frees the samples. */
void store_samples_free(struct import *m);

struct mpj_moment_rec;
/* Take FUNCTION and FUNC_GROUPS records, and moments that are calls, in the same way. */
int store_entry(struct import *m, const struct mpj_rec *rec);
int store_entry_groups(struct import *m, const struct mpj_rec *rec);
int store_entry_call(struct import *m, const struct mpj_moment_rec *x);
int store_entries_end(struct import *m);
void store_entries_free(struct import *m);

/* Stores the emulator's profile, after the pass's records. */
int store_profile(struct import *m, const void *data, size_t len);

/* Stores a record of the thread profile; ignores any other kind. */
int store_thread_record(struct import *m, const struct mpj_rec *rec);
/* Stores names and lines of the addresses in the profile of pass 0. */
int store_places(struct import *m);

#endif
