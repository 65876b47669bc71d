/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "selftest_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define VALUES_WIDTH 28

/* ---- text ------------------------------------------------------------------------- */

static int put_number(char *out, size_t cap, int64_t v, const char *unit)
{
    if (strcmp(unit, "hex") == 0 || strcmp(unit, "mask") == 0)
        return snprintf(out, cap, "0x%" PRIx64, (uint64_t)v);
    return snprintf(out, cap, "%" PRId64, v);
}

static const char *unit_shown(const struct mpj_selftest_item *m)
{
    return strcmp(m->unit, "hex") == 0 || strcmp(m->unit, "mask") == 0 ? "" : m->unit;
}

/* Formats the values: one when all are the same, all of them if they fit, or their range. */
static void measured(const struct mpj_selftest_item *m, char *out, size_t cap)
{
    int64_t low = m->value[0];
    int64_t high = m->value[0];
    size_t n = 0;

    for (unsigned i = 1; i < m->values; i++) {
        low = m->value[i] < low ? m->value[i] : low;
        high = m->value[i] > high ? m->value[i] : high;
    }
    for (unsigned i = 0; i < (low == high ? 1 : m->values) && n < cap; i++) {
        n += (size_t)snprintf(out + n, cap - n, "%s", i > 0 ? " " : "");
        if (n < cap)
            n += (size_t)put_number(out + n, cap - n, m->value[i], m->unit);
    }
    if (n + strlen(unit_shown(m)) + 1 > VALUES_WIDTH) {
        n = (size_t)put_number(out, cap, low, m->unit);
        n += (size_t)snprintf(out + n, cap - n, "..");
        n += (size_t)put_number(out + n, cap - n, high, m->unit);
    }
    if (n < cap && unit_shown(m)[0] != '\0')
        snprintf(out + n, cap - n, " %s", unit_shown(m));
}

static void expected(const struct mpj_selftest_item *m, char *out, size_t cap)
{
    size_t n = (size_t)snprintf(out, cap, "%s", m->high == INT64_MAX ? "at least " : "");

    n += (size_t)put_number(out + n, cap - n, m->low, m->unit);
    if (m->high == m->low || m->high == INT64_MAX)
        return;
    n += (size_t)snprintf(out + n, cap - n, "..");
    put_number(out + n, cap - n, m->high, m->unit);
}

static void show_item(const struct mpj_selftest_item *m, FILE *out)
{
    char is[160];
    char should[80];

    if (m->measured) {
        measured(m, is, sizeof(is));
        expected(m, should, sizeof(should));
        fprintf(out, "%-20s %-7s  %-*s  %s\n", m->name, mpj_selftest_verdict_name(m->verdict),
                VALUES_WIDTH, is, should);
    } else {
        fprintf(out, "%-20s %s\n", m->name, mpj_selftest_verdict_name(m->verdict));
    }
    if (m->verdict == MPJ_SELFTEST_OK)
        return;
    if (m->text != NULL)
        fprintf(out, "    %s\n", m->text);
    if (m->reason != NULL)
        fprintf(out, "    %s\n", m->reason);
    if (m->change != NULL) {
        const char *const name = strrchr(m->change, ':');
        fprintf(out, "    edit the line of %s in %.*s\n", name + 1, (int)(name - m->change),
                m->change);
    }
}

void selftest_text(const struct mpj_selftest *t, const struct selftest_about *about, bool all,
                   FILE *out)
{
    unsigned count[MPJ_SELFTEST_VERDICTS];
    const bool well = mpj_selftest_count(t, count);

    fprintf(out, "%s", about->target);
    if (about->calibration != NULL)
        fprintf(out, ", calibration %s", about->calibration);
    if (about->cores > 0)
        fprintf(out, ": %u cores, %.0f MHz", about->cores, (double)about->clock_hz / 1e6);
    if (about->bit_rate > 0)
        fprintf(out, ", %u bit/s", about->bit_rate);
    fprintf(out, "\n%-20s %-7s  %-*s  %s\n", "item", "verdict", VALUES_WIDTH, "measured",
            "expected");
    for (size_t i = 0; i < t->items; i++)
        show_item(&t->item[i], out);
    for (size_t i = 0; i < t->notes && (all || !well); i++)
        fprintf(out, "note: %s\n", t->note[i]);
    fprintf(out, "%zu items: %u ok, %u differ, %u fail, %u skipped\n", t->items,
            count[MPJ_SELFTEST_OK], count[MPJ_SELFTEST_DIFFERS], count[MPJ_SELFTEST_FAILS],
            count[MPJ_SELFTEST_SKIPPED]);
    if (!t->complete)
        fprintf(out, "the self-test did not finish%s%s\n",
                t->part != NULL ? "; its last part was: " : "", t->part != NULL ? t->part : "");
}

/* ---- JSON ------------------------------------------------------------------------- */

static void add_text(json_t *o, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        json_object_set_new(o, key, json_string(text));
}

static json_t *item_json(const struct mpj_selftest_item *m)
{
    json_t *const o = json_object();
    json_t *values;

    add_text(o, "item", m->name);
    add_text(o, "verdict", mpj_selftest_verdict_name(m->verdict));
    add_text(o, "text", m->text);
    if (m->measured) {
        values = json_array();
        for (unsigned i = 0; i < m->values; i++)
            json_array_append_new(values, json_integer(m->value[i]));
        json_object_set_new(o, "measured", values);
        json_object_set_new(o, "low", json_integer(m->low));
        if (m->high != INT64_MAX)
            json_object_set_new(o, "high", json_integer(m->high));
        add_text(o, "unit", m->unit);
    }
    add_text(o, "reason", m->reason);
    if (m->change != NULL && m->verdict != MPJ_SELFTEST_OK) {
        const char *const name = strrchr(m->change, ':');
        json_t *const change = json_object();
        json_object_set_new(change, "file", json_stringn(m->change, (size_t)(name - m->change)));
        add_text(change, "name", name + 1);
        json_object_set_new(o, "change", change);
    }
    return o;
}

int selftest_json(const struct mpj_selftest *t, const struct selftest_about *about, FILE *out,
                  struct mpj_err *err)
{
    json_t *const o = json_object();
    json_t *const counts = json_object();
    json_t *const items = json_array();
    json_t *const notes = json_array();
    unsigned count[MPJ_SELFTEST_VERDICTS];
    const bool well = mpj_selftest_count(t, count);
    int result = MPJ_E_OK;

    add_text(o, "schema", "mpjoule-selftest/1");
    add_text(o, "target", about->target);
    add_text(o, "calibration", about->calibration);
    add_text(o, "firmware_sha256", about->firmware_sha256);
    if (about->bit_rate > 0)
        json_object_set_new(o, "bit_rate", json_integer(about->bit_rate));
    json_object_set_new(o, "ok", json_boolean(well && about->failure == NULL));
    json_object_set_new(o, "complete", json_boolean(t->complete));
    add_text(o, "failure", about->failure);
    for (unsigned v = 0; v < MPJ_SELFTEST_VERDICTS; v++)
        json_object_set_new(counts, mpj_selftest_verdict_name((enum mpj_selftest_verdict)v),
                            json_integer(count[v]));
    json_object_set_new(o, "counts", counts);
    for (size_t i = 0; i < t->items; i++)
        json_array_append_new(items, item_json(&t->item[i]));
    json_object_set_new(o, "items", items);
    for (size_t i = 0; i < t->notes; i++)
        json_array_append_new(notes, json_string(t->note[i]));
    json_object_set_new(o, "notes", notes);
    if (json_dumpf(o, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
        result = mpj_err_errno(err, "cannot write the JSON");
    json_decref(o);
    return result;
}
