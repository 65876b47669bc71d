/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any file as a store, and any values in the tables of a sound one: errors or reports, never a
 * crash. The first byte says which: 0 changes of values, 1 of bytes, in one of some stores (by the
 * next bits); 2 the rest is the emulator's truth of a run; 3 it is a file.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "fuzz_base.h"
#include "fuzz_file.h"
#include "fuzz_log.h"
#include "fuzz_show.h"
#include "log/log.h"
#include "report/store.h"

#define BASES 4U

static void must(int result)
{
    if (result != 0)
        abort();
}

/* For fuzz_log_seed(): always the same number, which says what is in the log. */
static uint32_t number;

static uint32_t same(void)
{
    return number;
}

/* 7: threads and functions; 4: a fault; 5: threads, functions, a deadlock; 6: no functions. */
static void make_log(const char *path, uint32_t kind)
{
    static uint8_t all[65536];
    uint8_t profile[4096];
    size_t n = MPJ_LOG_HEADER_SIZE;
    FILE *const f = fopen(path, "wb");

    must(f == NULL);
    number = kind;
    memcpy(all, MPJ_LOG_MAGIC "\x01\0\x10\0\0\0\0", MPJ_LOG_HEADER_SIZE);
    n += fuzz_log_seed(all + n, sizeof(all) - n, same);
    if (kind == 7) {
        n = fuzz_log_truth(all, sizeof(all), n);
        n = fuzz_log_bytes(all, sizeof(all), n, MPJ_LOG_PROFILE, profile,
                           fuzz_profile_seed(profile, sizeof(profile), same));
    }
    must(fwrite(all, 1, n, f) != n);
    fclose(f);
}

static void make_base(struct fuzz_base *b, uint32_t kind)
{
    const char *const path = fuzz_file((const uint8_t *)"", 0);
    char log[160];
    const char *const logs[] = {log, log};
    struct mpj_err err;

    snprintf(log, sizeof(log), "%s.mplog", path);
    make_log(log, kind);
    must(mpj_store_build(path, logs, kind == 5 ? 2 : 1, FUZZ_PROGRAM, &err));
    remove(log);
    fuzz_base_take(b, path);
}

/* The truth is text in the store, and JSON in that. */
static void put_truth(const struct fuzz_base *b, const char *path, const uint8_t *data, size_t size)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;

    fuzz_base_change(b, path, NULL, 0);
    must(sqlite3_open(path, &db));
    must(sqlite3_prepare_v2(db, "UPDATE truth SET json = CAST(? AS TEXT)", -1, &s, NULL));
    must(sqlite3_bind_blob(s, 1, data, (int)size, SQLITE_STATIC));
    (void)sqlite3_step(s);
    sqlite3_finalize(s);
    must(sqlite3_close(db));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t kinds[BASES] = {7, 4, 5, 6};
    static struct fuzz_base bases[BASES];
    unsigned which;
    const char *path;

    if (size == 0)
        return 0;
    which = data[0] % 4U == 2 ? 0 : data[0] / 4U % BASES;
    if (bases[which].file == NULL)
        make_base(&bases[which], kinds[which]);
    if (data[0] % 4U == 3) {
        fuzz_show(fuzz_file(data + 1, size - 1));
        return 0;
    }
    path = fuzz_file((const uint8_t *)"", 0);
    if (data[0] % 4U == 2)
        put_truth(&bases[which], path, data + 1, size - 1);
    else if (data[0] % 4U == 1)
        fuzz_base_damage(&bases[which], path, data + 1, size - 1);
    else
        fuzz_base_change(&bases[which], path, data + 1, size - 1);
    fuzz_show(path);
    return 0;
}

size_t fuzz_seed(uint8_t *to, size_t cap, uint32_t (*rng)(void))
{
    const size_t n = 1 + 3 * (size_t)(rng() % 4U);

    for (size_t i = 0; i < n && i < cap; i++)
        to[i] = (uint8_t)rng();
    to[0] &= 0xfc;
    return n < cap ? n : cap;
}
