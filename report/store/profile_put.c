/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/profile_put.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define WAVE_STEPS 65536U /* of a row: a blob that any reader holds in memory */

/* Binds a number, or null for PROFILE_NONE. */
static void bind(sqlite3_stmt *s, int at, int64_t v)
{
    if (v == PROFILE_NONE)
        sqlite3_bind_null(s, at);
    else
        sqlite3_bind_int64(s, at, v);
}

int profile_func(struct import *m, enum mpj_prof_source source, const struct profile_func *f)
{
    sqlite3_stmt *const s = store_statement(
        m, "INSERT INTO prof_func VALUES (?1,?2,?3,?4 || ifnull(?9,''),?5,nullif(?6,0),?7,?8)");

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    sqlite3_bind_int(s, 2, (int)source);
    sqlite3_bind_int64(s, 3, f->id);
    sqlite3_bind_text(s, 4, f->name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 5, f->file, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(s, 6, f->line);
    bind(s, 7, f->address);
    sqlite3_bind_int(s, 8, (int)f->kind);
    sqlite3_bind_text(s, 9, f->copy, -1, SQLITE_TRANSIENT);
    return store_run(m, s);
}

int profile_node(struct import *m, enum mpj_prof_source source, const struct profile_node *n)
{
    sqlite3_stmt *const s = store_statement(m, "INSERT INTO prof_node VALUES (?,?,?,?,?,?,?,?,?)");

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    sqlite3_bind_int(s, 2, (int)source);
    sqlite3_bind_int64(s, 3, n->id);
    bind(s, 4, n->parent);
    sqlite3_bind_int64(s, 5, n->func);
    bind(s, 6, n->thread);
    bind(s, 7, n->core);
    bind(s, 8, n->region);
    sqlite3_bind_int64(s, 9, (int64_t)n->calls);
    return store_run(m, s);
}

int profile_cost(struct import *m, enum mpj_prof_source source, uint32_t node, const char *item,
                 uint64_t value)
{
    if (value == 0)
        return MPJ_E_OK;
    return store_put(m,
                     "INSERT INTO prof_cost VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET "
                     "value = value + excluded.value",
                     "iiisi", (int64_t)m->pass, (int64_t)source, (int64_t)node, item,
                     (int64_t)value);
}

int profile_chip(struct import *m, enum mpj_prof_source source, const char *item, uint64_t value)
{
    if (value == 0)
        return MPJ_E_OK;
    return store_put(m,
                     "INSERT INTO prof_chip VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET "
                     "value = value + excluded.value",
                     "iisi", (int64_t)m->pass, (int64_t)source, item, (int64_t)value);
}

int profile_insn(struct import *m, uint32_t address, uint64_t executions, uint64_t cycles)
{
    return store_put(m,
                     "INSERT INTO prof_insn VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET "
                     "executions = executions + excluded.executions, "
                     "cycles = cycles + excluded.cycles",
                     "iiii", (int64_t)m->pass, (int64_t)address, (int64_t)executions,
                     (int64_t)cycles);
}

int profile_insn_cost(struct import *m, uint32_t address, const char *item, uint64_t value)
{
    if (value == 0)
        return MPJ_E_OK;
    return store_put(m,
                     "INSERT INTO prof_insn_cost VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET "
                     "value = value + excluded.value",
                     "iisi", (int64_t)m->pass, (int64_t)address, item, (int64_t)value);
}

int profile_moment(struct import *m, enum mpj_prof_source source, const struct profile_moment *x)
{
    sqlite3_stmt *const s = store_statement(m, "INSERT INTO moment VALUES (?,?,?,?,?,?,?,?,?,?)");

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    sqlite3_bind_int(s, 2, (int)source);
    sqlite3_bind_int64(s, 3, x->seq);
    sqlite3_bind_int64(s, 4, (int64_t)x->time);
    bind(s, 5, x->core);
    bind(s, 6, x->thread);
    sqlite3_bind_int(s, 7, (int)x->kind);
    sqlite3_bind_int64(s, 8, x->object);
    sqlite3_bind_int64(s, 9, x->other);
    sqlite3_bind_int64(s, 10, x->value);
    return store_run(m, s);
}

int profile_lost(struct import *m, enum mpj_prof_source source, uint64_t lost)
{
    return store_put(m,
                     "INSERT INTO moment_loss VALUES (?,?,?) ON CONFLICT DO UPDATE SET "
                     "lost = lost + excluded.lost",
                     "iii", (int64_t)m->pass, (int64_t)source, (int64_t)lost);
}

/* Packs numbers into that many bytes each, least byte first; NULL: out of memory, or the statement
 * was not prepared. */
static unsigned char *packed(struct import *m, const sqlite3_stmt *s, const uint64_t *v,
                             size_t count, unsigned each)
{
    unsigned char *const bytes = s != NULL ? malloc(count * each + 1) : NULL;

    if (s != NULL && bytes == NULL)
        mpj_err_nomem(m->err);
    for (size_t i = 0; bytes != NULL && i < count; i++) {
        const uint64_t least_first = htole64(v[i]);
        memcpy(bytes + i * each, &least_first, each);
    }
    return bytes;
}

static int put_wave(struct import *m, int64_t core, uint64_t time0, uint64_t step,
                    const uint64_t *fj, size_t count)
{
    sqlite3_stmt *const s = store_statement(m, "INSERT INTO wave VALUES (?,?,?,?,?)");
    unsigned char *const bytes = packed(m, s, fj, count, 8);

    if (bytes == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    bind(s, 2, core);
    sqlite3_bind_int64(s, 3, (int64_t)time0);
    sqlite3_bind_int64(s, 4, (int64_t)step);
    sqlite3_bind_blob64(s, 5, bytes, count * 8, free);
    return store_run(m, s);
}

int profile_wave(struct import *m, int64_t core, uint64_t time0, uint64_t step, const uint64_t *fj,
                 size_t count)
{
    int result = MPJ_E_OK;

    while (count > 0 && result == MPJ_E_OK) {
        const size_t n = count < WAVE_STEPS ? count : WAVE_STEPS;
        result = put_wave(m, core, time0, step, fj, n);
        time0 += n * step;
        fj += n;
        count -= n;
    }
    return result;
}

static int put_counts(struct import *m, int64_t core, const char *event, uint64_t time0,
                      uint64_t step, const uint64_t *v, size_t count)
{
    sqlite3_stmt *const s = store_statement(m, "INSERT INTO wave_count VALUES (?,?,?,?,?,?)");
    unsigned char *const bytes = packed(m, s, v, count, 4);

    if (bytes == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    sqlite3_bind_int64(s, 2, core);
    sqlite3_bind_text(s, 3, event, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, 4, (int64_t)time0);
    sqlite3_bind_int64(s, 5, (int64_t)step);
    sqlite3_bind_blob64(s, 6, bytes, count * 4, free);
    return store_run(m, s);
}

int profile_counts(struct import *m, int64_t core, const char *event, uint64_t time0, uint64_t step,
                   const uint64_t *n, size_t count)
{
    int result = MPJ_E_OK;

    while (count > 0 && result == MPJ_E_OK) {
        const size_t part = count < WAVE_STEPS ? count : WAVE_STEPS;
        result = put_counts(m, core, event, time0, step, n, part);
        time0 += part * step;
        n += part;
        count -= part;
    }
    return result;
}

/* ---- sums ------------------------------------------------------------------------- */

/* Sums up the pass's profile, nodes and chip, by item; nodes without costs have 0 cycles. */
static int add_up(struct import *m, json_t *sums)
{
    sqlite3_stmt *const s = store_statement(
        m, "SELECT item, value FROM prof_cost WHERE pass = ?1 AND source = 0 UNION ALL "
           "SELECT item, value FROM prof_chip WHERE pass = ?1 AND source = 0 UNION ALL "
           "SELECT 'cycles', 0 FROM prof_node WHERE pass = ?1 AND source = 0");
    int result = MPJ_E_OK;
    int step;

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        const char *const item = (const char *)sqlite3_column_text(s, 0);
        const uint64_t sum = (uint64_t)json_integer_value(json_object_get(sums, item)) +
                             (uint64_t)sqlite3_column_int64(s, 1);
        json_object_set_new(sums, item, json_integer((json_int_t)sum));
    }
    if (step != SQLITE_DONE)
        result = store_db_error(m);
    sqlite3_reset(s);
    return result;
}

/* Compares a sum with the truth's figure, to 1. */
static int same(struct import *m, const char *what, int64_t sum, int64_t truth)
{
    if (llabs(sum - truth) <= 1)
        return MPJ_E_OK;
    return mpj_err_set(m->err, MPJ_E_LOG,
                       "%s cannot be true: its %s adds up to %" PRId64
                       ", the emulator counted %" PRId64,
                       m->log, what, sum, truth);
}

/* Compares an item's sum over nodes and chip. */
static int compare(struct import *m, const json_t *sums, const char *item, int64_t truth)
{
    char what[80];

    snprintf(what, sizeof(what), "profile of functions: %.40s", item);
    return same(m, what, json_integer_value(json_object_get(sums, item)), truth);
}

static int compare_events(struct import *m, const json_t *sums, json_t *events)
{
    int result = MPJ_E_OK;

    for (void *at = json_object_iter(events); at != NULL && result == MPJ_E_OK;
         at = json_object_iter_next(events, at))
        result = compare(m, sums, json_object_iter_key(at),
                         json_integer_value(json_object_iter_value(at)));
    return result;
}

/* Returns the sum over the cores of a member of a core, or of its events. */
static int64_t over_cores(const json_t *cores, const char *key, bool event)
{
    int64_t sum = 0;

    for (size_t i = 0; i < json_array_size(cores); i++) {
        const json_t *const core = json_array_get(cores, i);
        sum += json_integer_value(
            json_object_get(event ? json_object_get(core, "events") : core, key));
    }
    return sum;
}

static int compare_window(struct import *m, const json_t *sums, const json_t *window)
{
    const json_t *const cores = json_object_get(window, "cores");
    json_t *const first = json_object_get(json_array_get(cores, 0), "events");
    int result = compare(m, sums, "cycles", over_cores(cores, "cycles", false));

    for (void *at = json_object_iter(first); at != NULL && result == MPJ_E_OK;
         at = json_object_iter_next(first, at)) {
        const char *const name = json_object_iter_key(at);
        result = compare(m, sums, name, over_cores(cores, name, true));
    }
    if (result == MPJ_E_OK)
        result = compare_events(m, sums, json_object_get(json_object_get(window, "scu"), "events"));
    if (result == MPJ_E_OK)
        result = compare_events(m, sums, json_object_get(json_object_get(window, "l2"), "events"));
    if (result == MPJ_E_OK)
        result =
            compare(m, sums, "energy_fj", json_integer_value(json_object_get(window, "energy_fj")));
    return result;
}

/* Compares energy by cause, if any. */
static int compare_causes(struct import *m, json_t *sums, int64_t energy)
{
    const char *item;
    json_t *of;
    uint64_t sum = 0;

    json_object_foreach(sums, item, of)
    {
        if (strncmp(item, "fj:", 3) == 0)
            sum += (uint64_t)json_integer_value(of);
    }
    return sum == 0 ? MPJ_E_OK : same(m, "energy by cause (fJ)", (int64_t)sum, energy);
}

/* Compares functions, if any. */
static int compare_functions(struct import *m, const json_t *window, int64_t energy)
{
    json_t *const sums = json_object();
    int result = sums != NULL ? add_up(m, sums) : mpj_err_nomem(m->err);

    if (result == MPJ_E_OK && json_object_size(sums) > 0)
        result = compare_window(m, sums, window);
    if (result == MPJ_E_OK)
        result = compare_causes(m, sums, energy);
    json_decref(sums);
    return result;
}

static int compare_wave(struct import *m, int64_t energy)
{
    sqlite3_stmt *const s = store_statement(m, "SELECT fj FROM wave WHERE pass = ?");
    uint64_t sum = 0;
    bool any = false;
    int step;

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int(s, 1, m->pass);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        const unsigned char *const bytes = sqlite3_column_blob(s, 0);
        const size_t n = (size_t)sqlite3_column_bytes(s, 0) / 8;
        for (size_t i = 0; i < n; i++)
            sum += profile_bytes(bytes + 8 * i, 8);
        any = true;
    }
    if (step != SQLITE_DONE)
        store_db_error(m);
    sqlite3_reset(s);
    if (step != SQLITE_DONE)
        return m->err->code;
    return any ? same(m, "power waveform (fJ)", (int64_t)sum, energy) : MPJ_E_OK;
}

/* Compares events over time of all cores with those of the truth's cores. */
static int compare_counts(struct import *m, const json_t *window)
{
    static const char sql[] = "SELECT event, counts FROM wave_count WHERE pass = ?";
    sqlite3_stmt *const s = store_statement(m, sql);
    json_t *const sums = json_object();
    const char *event;
    json_t *sum;
    int step;
    int result = MPJ_E_OK;

    if (s == NULL || sums == NULL) {
        json_decref(sums);
        return s == NULL ? m->err->code : mpj_err_nomem(m->err);
    }
    sqlite3_bind_int(s, 1, m->pass);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        const unsigned char *const bytes = sqlite3_column_blob(s, 1);
        const size_t n = (size_t)sqlite3_column_bytes(s, 1) / 4;
        event = (const char *)sqlite3_column_text(s, 0);
        json_int_t more = json_integer_value(json_object_get(sums, event));
        for (size_t i = 0; i < n; i++)
            more += (json_int_t)profile_bytes(bytes + 4 * i, 4);
        json_object_set_new(sums, event, json_integer(more));
    }
    if (step != SQLITE_DONE)
        result = store_db_error(m);
    sqlite3_reset(s);
    json_object_foreach(sums, event, sum)
    {
        char what[80];
        snprintf(what, sizeof(what), "%.40s over time", event);
        if (result == MPJ_E_OK)
            result = same(m, what, json_integer_value(sum),
                          over_cores(json_object_get(window, "cores"), event, true));
    }
    json_decref(sums);
    return result;
}

int profile_check_sums(struct import *m)
{
    json_t *const root = m->truth != NULL ? json_loads(m->truth, 0, NULL) : NULL;
    const json_t *const window = json_object_get(root, "window");
    const int64_t energy = json_integer_value(json_object_get(window, "energy_fj"));
    int result = MPJ_E_OK;

    if (window != NULL)
        result = compare_functions(m, window, energy);
    if (result == MPJ_E_OK && window != NULL)
        result = compare_wave(m, energy);
    if (result == MPJ_E_OK && window != NULL)
        result = compare_counts(m, window);
    json_decref(root);
    return result;
}
