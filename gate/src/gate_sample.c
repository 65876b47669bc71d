/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extracts the part of a run that a gate compares: small, by names, in whole numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "gate/judge.h"
#include "judge_int.h"
#include "report/blame.h"
#include "report/energy.h"
#include "report/run.h"
#include "report/threads.h"

const char *const gate_table_name[GATE_TABLES] = {"functions", "regions", "marks", "runtime",
                                                  "callers"};

/* Adds to a member that is a whole number. */
static void add(json_t *row, const char *item, double v)
{
    const json_int_t sum = json_integer_value(json_object_get(row, item)) + llround(v);

    if (sum != 0 && isfinite(v))
        json_object_set_new(row, item, json_integer(sum));
}

static json_t *row_of(json_t *table, const char *name)
{
    json_t *row = json_object_get(table, name);

    if (row == NULL) {
        row = json_object();
        json_object_set_new(table, name, row);
    }
    return row;
}

static const char *base_name(const char *file)
{
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    return file;
}

static void regions(json_t *table, const struct mpj_run *run)
{
    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const r = &run->region[i];
        json_t *const row = row_of(table, r->fn.function != NULL ? r->fn.function : r->name);
        if (r->fn.file != NULL && json_object_get(row, "at") == NULL) {
            json_put_text(row, "at", base_name(r->fn.file));
            json_put_count(row, "line", r->fn.line > 0 ? (uint64_t)r->fn.line : 0);
        }
        add(row, "calls", (double)r->calls);
        add(row, "time", r->wall_s * 1e9);
        add(row, "energy", isfinite(r->energy_uj) ? r->energy_uj * 1e3 : 0);
    }
}

/* Adds the intervals from each mark to the next; those of one name are merged. */
static int marks(json_t *table, const char *store, struct mpj_err *err)
{
    struct mpj_energy *e;

    if (mpj_energy_load(&e, store, NULL, NULL, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < e->phases; i++) {
        const struct mpj_energy_phase *const ph = &e->phase[i];
        json_t *row;
        if (ph->name == NULL || e->time_hz == 0)
            continue;
        row = row_of(table, ph->name);
        add(row, "calls", 1);
        add(row, "time", (double)(ph->end - ph->begin) * 1e9 / e->time_hz);
        if (ph->samples > 0)
            add(row, "energy", ph->rail[0].energy_uj * 1e3);
    }
    mpj_energy_free(e);
    return MPJ_E_OK;
}

/* Writes figures of all cores and the chip: exact where the truth is available. */
static void figures(json_t *row, const struct mpj_run *run)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    add(row, "time", run->time_s * 1e9);
    if (run->have_truth)
        add(row, "energy", run->truth.energy_uj * 1e3);
    else if (mpj_run_power(run).present)
        add(row, "energy", mpj_run_power(run).energy_uj * 1e3);
    for (size_t i = 0; i < n; i++) {
        struct mpj_value v = mpj_run_total(run, (int)i);
        if (run->have_truth) {
            v = run->truth.chip[i];
            for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
                v.present = v.present || run->truth.core[k].ev[i].present;
                v.value += run->truth.core[k].ev[i].present ? run->truth.core[k].ev[i].value : 0;
            }
        } else if (run->chip[i].present) {
            v = run->chip[i];
        }
        if (v.present)
            json_put_count(row, table[i].name, v.value);
    }
}

json_t *mpj_gate_sample(const struct mpj_run *run, const char *store, const char *elf,
                        struct mpj_err *err)
{
    json_t *const o = json_object();
    json_t *const tools = json_object();
    json_t *const program = json_object();

    json_object_set_new(o, "program", program);
    json_put_text(program, "arguments", run->arguments);
    json_put_text(program, "sha256", run->firmware_sha256);
    json_object_set_new(o, "tools", tools);
    json_put_text(tools, "mpjoule", run->version);
    json_put_text(tools, "target", run->target);
    json_put_text(tools, "calibration", run->calibration);
    json_put_text(tools, "calibration_sha256", run->calibration_sha256);
    json_put_text(tools, "quantum", run->quantum);
    json_put_text(tools, "emulator_sha256", run->emulator_sha256);
    json_put_text(tools, "runtime_sha256", run->runtime_sha256);
    json_put_text(tools, "compiler", run->compiler);
    json_object_set_new(o, "figures", json_object());
    for (size_t t = 0; t < GATE_TABLES; t++)
        json_object_set_new(o, gate_table_name[t], json_object());
    figures(json_object_get(o, "figures"), run);
    regions(json_object_get(o, "regions"), run);
    if (mpj_blame_tables(o, run, store, elf, err) == MPJ_E_OK &&
        marks(json_object_get(o, "marks"), store, err) == MPJ_E_OK)
        return o;
    json_decref(o);
    return NULL;
}

/* ---- several samples ------------------------------------------------------------------- */

/* Merges a whole number of all samples into out: the median, or each of them where they differ. */
static void merge_item(json_t *out, const char *item, json_t *const *row, unsigned n, bool each)
{
    json_t *const list = json_array();
    bool same = true;

    for (unsigned i = 0; i < n; i++) {
        const json_int_t v = json_integer_value(json_object_get(row[i], item));
        same = same && v == json_integer_value(json_object_get(row[0], item));
        json_array_append_new(list, json_integer(v));
    }
    json_object_set_new(out, item, list);
    if (!each || same)
        json_object_set_new(out, item,
                            json_integer(llround(mpj_gate_figure(out, item, NULL, NULL))));
}

/* Keeps the hash of a function's source if it is that of all samples that have one. */
static void merge_source(json_t *out, json_t *const *row, unsigned n)
{
    const json_t *found = NULL;

    for (unsigned i = 0; i < n; i++) {
        const json_t *const v = json_object_get(row[i], MPJ_BLAME_SOURCE);
        if (v != NULL && found != NULL && !json_equal(v, found))
            return;
        found = v != NULL ? v : found;
    }
    json_object_set(out, MPJ_BLAME_SOURCE, (json_t *)found);
}

/* Merges the rows of that name of all samples into out. */
static void merge_row(json_t *out, json_t *const *row, unsigned n, bool each)
{
    const char *item;
    json_t *first;

    for (unsigned s = 0; s < n; s++) {
        json_object_foreach(row[s], item, first)
        {
            if (json_object_get(out, item) != NULL)
                continue;
            if (strcmp(item, MPJ_BLAME_SOURCE) == 0)
                merge_source(out, row, n);
            else if (json_is_integer(first))
                merge_item(out, item, row, n, each);
            else
                json_object_set(out, item, first);
        }
    }
}

/* Merges a table. row: buffer for one row of each sample. */
static void merge_table(json_t *out, json_t *const *sample, const char *table, json_t **row,
                        unsigned n)
{
    const char *name;
    json_t *any;

    for (unsigned s = 0; s < n; s++) {
        json_object_foreach(json_object_get(sample[s], table), name, any)
        {
            if (json_object_get(out, name) != NULL)
                continue;
            for (unsigned i = 0; i < n; i++)
                row[i] = json_object_get(json_object_get(sample[i], table), name);
            merge_row(row_of(out, name), row, n, false);
        }
    }
}

json_t *mpj_gate_merge(json_t *const *sample, unsigned n)
{
    json_t **const row = calloc(n, sizeof(json_t *));
    json_t *const o = row != NULL ? json_object() : NULL;

    if (o == NULL) {
        free(row);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++)
        row[i] = json_object_get(sample[i], "figures");
    merge_row(row_of(o, "figures"), row, n, true);
    for (size_t t = 0; t < GATE_TABLES; t++)
        merge_table(row_of(o, gate_table_name[t]), sample, gate_table_name[t], row, n);
    json_object_set(o, "program", json_object_get(sample[0], "program"));
    json_object_set(o, "tools", json_object_get(sample[0], "tools"));
    if (n > 1)
        json_put_count(o, "samples", n);
    free(row);
    return o;
}
