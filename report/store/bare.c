/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of profiling: compares the run with one of the same program without it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "report/run.h"
#include "report/store.h"
#include "report_int.h"

#define KEY_INSTR "bare_instr"

uint64_t mpj_run_true_instr(const struct mpj_run *run)
{
    const int i = MPJ_ROW_INSTR;
    uint64_t sum = 0;

    for (unsigned k = 0; run->have_truth && k < MPJ_CORES_MAX; k++)
        sum += run->truth.core[k].ev[i].value;
    return sum;
}

double mpj_run_overhead(const struct mpj_run *run)
{
    if (!run->bare.present || !run->complete || !(run->bare.time_s > 0))
        return NAN;
    return 100.0 * (run->time_s / run->bare.time_s - 1.0);
}

void bare_label(struct mpj_run *run, const char *key, const char *value)
{
    if (strcmp(key, RUN_BARE_TIME) == 0) {
        run->bare.present = true;
        run->bare.time_s = strtod(value, NULL);
    } else if (strcmp(key, KEY_INSTR) == 0) {
        run->bare.instr = strtoull(value, NULL, 10);
    }
}

int store_label(const char *path, const char *key, const char *value, struct mpj_err *err)
{
    static const char sql[] = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
    sqlite3_stmt *s = NULL;
    sqlite3 *db = NULL;
    int result = MPJ_E_OK;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA journal_mode=OFF", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_bind_text(s, 1, key, -1, SQLITE_TRANSIENT) != SQLITE_OK ||
        sqlite3_bind_text(s, 2, value, -1, SQLITE_TRANSIENT) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_DONE)
        result = mpj_err_set(err, sqlite3_errcode(db) == SQLITE_FULL ? MPJ_E_FULL : MPJ_E_STORE,
                             "cannot write %s: %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return result;
}

int mpj_store_bare(const char *path, const struct mpj_run *bare, struct mpj_err *err)
{
    char time_s[40];
    char instr[24];

    snprintf(time_s, sizeof(time_s), "%.17g", bare->time_s);
    snprintf(instr, sizeof(instr), "%" PRIu64, mpj_run_true_instr(bare));
    if (store_label(path, RUN_BARE_TIME, time_s, err) != MPJ_E_OK)
        return err->code;
    return store_label(path, KEY_INSTR, instr, err);
}
