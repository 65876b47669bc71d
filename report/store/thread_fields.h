/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of a thread (mpj_thread_fields.h) as a table for iteration. */
#ifndef THREAD_FIELDS_H
#define THREAD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/run.h"
#include "report/threads.h"

enum thread_kind { THREAD_ID, THREAD_MOMENT, THREAD_TICKS, THREAD_COUNT, THREAD_DERIVED };

struct thread_field {
    enum thread_kind kind;
    unsigned since;    /* version of the store */
    const char *name;  /* column; NULL: of results only */
    const char *shown; /* column of CSV, key of JSON; NULL: not shown by the table */
    size_t record;     /* offset in struct mpj_thread_rec: uint32_t of THREAD_ID, else uint64_t */
    size_t result; /* offset in struct mpj_thread_result: uint64_t of THREAD_COUNT, else double */
};

extern const struct thread_field thread_fields[];
extern const unsigned thread_field_count;

/* Returns the columns of a store of that version, "id, parent, ..." with `before` and `after`
 * around each name; a column that the store does not have is 0. malloc()ed; NULL: out of memory. */
char *thread_field_list(const char *before, const char *after, unsigned version);
/* True if the run's log has the field, if missing fields are not to be shown as 0. */
bool thread_field_known(const struct thread_field *f, const struct mpj_run *run);
/* Returns the value of a field in a record. */
uint64_t thread_field_get(const struct thread_field *f, const struct mpj_thread_rec *t);
/* True if a result has the field as a duration; return its value: of a duration, of a count. */
bool thread_field_is_duration(const struct thread_field *f);
double thread_field_seconds(const struct thread_field *f, const struct mpj_thread_result *t);
uint64_t thread_field_number(const struct thread_field *f, const struct mpj_thread_result *t);
/* Takes a column's value; second: ticks in one. Ignores fields that results have otherwise. */
void thread_field_set(const struct thread_field *f, struct mpj_thread_result *t, uint64_t v,
                      double second);

#endif
