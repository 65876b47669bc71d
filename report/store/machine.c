/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record MACHINE in the store: one row for each member of the description. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sql.h"
#include "mpj_machine_record.h"
#include "report/store.h"
#include "report_int.h"
#include "store/machine_fields.h"
#include "store/machine_int.h"
#include "store/store_int.h"

#define ITEM_MAX 64

/* ---- writing ------------------------------------------------------------------------ */

static int put_field(struct import *m, const char *item, const struct machine_field *f,
                     const void *of)
{
    static const char sql[] = "INSERT OR REPLACE INTO machine VALUES (?,?,?)";

    return f->size > 0
               ? store_put(m, sql, "iss", (int64_t)m->pass, item, machine_text(f, of))
               : store_put(m, sql, "isi", (int64_t)m->pass, item, (int64_t)*machine_number(f, of));
}

static int put_list(struct import *m, const struct machine_list *l, const struct tile_machine *from)
{
    char item[ITEM_MAX];
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < machine_count(l, from); i++) {
        for (size_t k = 0; k < l->fields && result == MPJ_E_OK; k++) {
            snprintf(item, sizeof(item), "%s.%u.%s", l->name, i, l->field[k].name);
            result = put_field(m, item, &l->field[k], machine_element(l, from, i));
        }
    }
    return result;
}

int store_machine(struct import *m, const struct mpj_rec *rec)
{
    struct tile_machine machine;
    int result = MPJ_E_OK;

    if (mpj_machine_get(rec, &machine) != 0)
        return store_damaged(m, "MACHINE");
    for (size_t i = 0; i < machine_field_count && result == MPJ_E_OK; i++)
        result = put_field(m, machine_fields[i].name, &machine_fields[i], &machine);
    for (size_t i = 0; i < MACHINE_LISTS && result == MPJ_E_OK; i++)
        result = put_list(m, &machine_lists[i], &machine);
    return result;
}

/* ---- reading ------------------------------------------------------------------------ */

struct reading {
    struct tile_machine *out;
    const char *path;
    bool any;
    struct mpj_err *err;
};

static int damaged(const struct reading *r, const char *item)
{
    return mpj_err_set(r->err, MPJ_E_STORE,
                       "%s is damaged: its description of the board has an impossible %.40s",
                       r->path, item);
}

static int take(struct reading *r, sqlite3_stmt *s, const char *item, const struct machine_field *f,
                void *of)
{
    const int64_t v = sqlite3_column_int64(s, 1);
    char *const place = (char *)of + f->at;
    const char *text;

    if (f->size == 0) {
        if (sqlite3_column_type(s, 1) != SQLITE_INTEGER || v < 0 || v > UINT32_MAX)
            return damaged(r, item);
        *(uint32_t *)(void *)place = (uint32_t)v;
        return MPJ_E_OK;
    }
    if (sqlite3_column_type(s, 1) != SQLITE_TEXT)
        return damaged(r, item);
    text = (const char *)sqlite3_column_text(s, 1);
    if (text == NULL || strlen(text) >= f->size)
        return damaged(r, item);
    memcpy(place, text, strlen(text) + 1);
    return MPJ_E_OK;
}

static const struct machine_field *find(const struct machine_field *field, size_t n,
                                        const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(field[i].name, name) == 0)
            return &field[i];
    }
    return NULL;
}

/* Takes "ram.0.base": the length of a list follows from its last element. */
static int take_element(struct reading *r, sqlite3_stmt *s, const char *item)
{
    for (size_t i = 0; i < MACHINE_LISTS; i++) {
        const struct machine_list *const l = &machine_lists[i];
        const size_t len = strlen(l->name);
        const struct machine_field *f;
        unsigned long at;
        char *end;
        uint32_t *count;

        if (strncmp(item, l->name, len) != 0 || item[len] != '.')
            continue;
        at = strtoul(item + len + 1, &end, 10);
        f = *end == '.' ? find(l->field, l->fields, end + 1) : NULL;
        if (f == NULL)
            return MPJ_E_OK;
        if (at >= l->most)
            return damaged(r, item);
        count = (uint32_t *)(void *)((char *)r->out + l->count_at);
        *count = at + 1 > *count ? (uint32_t)at + 1 : *count;
        return take(r, s, item, f, (char *)r->out + l->at + at * l->size);
    }
    return MPJ_E_OK; /* an item of a later version */
}

static int on_item(void *ctx, sqlite3_stmt *s)
{
    struct reading *const r = ctx;
    const char *const item = (const char *)sqlite3_column_text(s, 0);
    const struct machine_field *const f =
        item != NULL ? find(machine_fields, machine_field_count, item) : NULL;

    r->any = true;
    if (item == NULL)
        return MPJ_E_OK;
    return f != NULL ? take(r, s, item, f, r->out) : take_element(r, s, item);
}

int machine_load(struct tile_machine *out, bool *stated, sqlite3 *db, const char *path,
                 unsigned version, struct mpj_err *err)
{
    static const struct mpj_sql_step step = {
        "SELECT item, value FROM machine WHERE pass = 0 ORDER BY item", on_item};
    uint8_t scratch[MPJ_FRAME_PAYLOAD_MAX];
    struct reading r = {.out = out, .path = path, .err = err};
    struct mpj_writer w;

    *stated = false;
    *out = mpj_machine_unstated;
    if (version < MPJ_STORE_MACHINE)
        return MPJ_E_OK;
    memset(out, 0, sizeof(*out));
    if (mpj_sql_steps(db, path, &step, 1, &r, err) != MPJ_E_OK)
        return err->code;
    *stated = r.any;
    if (!r.any)
        *out = mpj_machine_unstated;
    mpj_writer_init(&w, scratch, sizeof(scratch)); /* the codec checks the ranges */
    return mpj_machine_put(&w, out) == MPJ_LINK_OK ? MPJ_E_OK : damaged(&r, "value");
}
