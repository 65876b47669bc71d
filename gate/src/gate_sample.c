/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extracts the part of a run that a gate compares: small, by names, in whole numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "gate/judge.h"
#include "gate_calls.h"
#include "judge_int.h"
#include "report/energy.h"
#include "report/profile.h"
#include "report/run.h"
#include "report/threads.h"

#define FJ_PER_NJ  1e6
#define CAUSE      "fj:"
#define NAME_BYTES 300

const char *const gate_table_name[GATE_TABLES] = {"functions", "regions", "marks", "runtime"};

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

static bool is_programs(const struct mpj_prof_func *f)
{
    return f->kind == MPJ_FUNC_PROGRAM || f->kind == MPJ_FUNC_INLINED;
}

static const char *base_name(const char *file)
{
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    return file;
}

/* Returns the name of a cause, distinct from that of an event. */
static const char *cause_name(const char *item)
{
    return strcmp(item, CAUSE "instr") == 0 ? "instructions" : item + strlen(CAUSE);
}

/* Adds part / whole of a node's own time and energy, and of all its counts. */
static void add_costs(json_t *row, const struct mpj_profile *p, uint32_t node, double share,
                      bool all)
{
    const int64_t *const self = &p->self[(size_t)node * p->items];

    for (unsigned i = 0; i < p->items; i++) {
        const double v = (double)self[i] * share;
        if ((int)i == p->cycles)
            add(row, "time", v * 1e9 / p->clock_hz);
        else if ((int)i == p->energy)
            add(row, "energy", v / FJ_PER_NJ);
        else if (all && i >= p->first_cause)
            add(row, cause_name(p->item[i].name), v / FJ_PER_NJ);
        else if (all && mpj_event_by_name(p->item[i].name, strlen(p->item[i].name)) != NULL)
            add(row, p->item[i].name, v);
    }
}

/* State of reading a profile. */
struct reading {
    json_t *functions, *runtime;
    const struct mpj_profile *p;
    struct gate_calls *calls;
    uint32_t *owner; /* of each node: that of the calling function of the program */
    uint32_t *entry; /* for the runtime's nodes: that of the function that the owner called */
    struct mpj_err *err;
};

/* Returns the label of a function that is known by its name and file; its name, where the profile
 * does not have it. */
static const char *label_of(const struct reading *r, const char *name, const char *file)
{
    const char *label = name;

    for (unsigned i = 0; i < r->p->funcs; i++) {
        const struct mpj_prof_func *const f = &r->p->func[i];
        if (strcmp(f->name, name) != 0)
            continue;
        label = f->label;
        if (file == NULL || (f->file != NULL && strcmp(f->file, file) == 0))
            break;
    }
    return label;
}

/* Adds the costs of the program's own function, with its place. */
static void add_own(const struct reading *r, uint32_t node)
{
    const struct mpj_prof_func *const f = &r->p->func[r->p->node[node].func];
    json_t *const row = row_of(r->functions, f->label);

    if (f->file != NULL && is_programs(f) && json_object_get(row, "at") == NULL) {
        json_put_text(row, "at", base_name(f->file));
        json_put_count(row, "line", f->line > 0 ? (uint64_t)f->line : 0);
    }
    add(row, "calls", (double)r->p->node[node].calls);
    add_costs(row, r->p, node, 1, true);
}

/* Adds the runtime's costs to the function that called it, and separately: "function > callee".
 * caller: its label. */
static void add_called(const struct reading *r, uint32_t node, const char *caller, double share)
{
    const uint32_t entry = r->entry[node];
    char name[2 * NAME_BYTES + 8];
    json_t *row;

    snprintf(name, sizeof(name), "%.*s" MPJ_GATE_CALLS "%.*s", NAME_BYTES, caller, NAME_BYTES,
             r->p->func[r->p->node[entry].func].name);
    row = row_of(r->runtime, name);
    if (node == entry)
        add(row, "calls", (double)r->p->node[node].calls * share);
    add_costs(row, r->p, node, share, false);
    add_costs(row_of(r->functions, caller), r->p, node, share, true);
}

/* Distributes runtime costs by the calls of the functions inlined into the caller. */
static int add_runtime(const struct reading *r, uint32_t node)
{
    const struct mpj_prof_node *const from = &r->p->node[r->owner[node]];
    const struct mpj_prof_node *const to = &r->p->node[r->entry[node]];
    const char *const caller = r->p->func[from->func].label;
    const struct gate_share *share = NULL;
    uint64_t calls = 0;
    unsigned n = 0;

    if (from->address >= 0 && to->address >= 0 &&
        gate_calls_shares(r->calls, (uint32_t)from->address, (uint32_t)to->address, &share, &n,
                          r->err) != MPJ_E_OK)
        return r->err->code;
    for (unsigned i = 0; i < n; i++)
        calls += share[i].calls;
    for (unsigned i = 0; i < n; i++)
        add_called(r, node,
                   share[i].by.name != NULL ? label_of(r, share[i].by.name, share[i].by.file)
                                            : caller,
                   (double)share[i].calls / (double)calls);
    if (n == 0)
        add_called(r, node, caller, 1);
    return MPJ_E_OK;
}

static int add_nodes(const struct reading *r)
{
    const struct mpj_profile *const p = r->p;
    int result = MPJ_E_OK;

    for (uint32_t i = 0; i < p->nodes && result == MPJ_E_OK; i++) {
        const uint32_t up = p->node[i].parent;
        const bool called = p->func[p->node[i].func].kind == MPJ_FUNC_RUNTIME &&
                            up != MPJ_PROF_NO_PARENT &&
                            is_programs(&p->func[p->node[r->owner[up]].func]);
        r->owner[i] = called ? r->owner[up] : i;
        r->entry[i] = called && r->owner[up] != up ? r->entry[up] : i;
        if (called)
            result = add_runtime(r, i);
        else
            add_own(r, i);
    }
    return result;
}

/* Returns the label of the function that a wait was called from. */
static const char *waiter(const struct reading *r, const struct mpj_where *caller)
{
    const uint32_t call = caller->address - 1U; /* within the call */
    const struct mpj_inlined inlined = gate_calls_inlined(r->calls, call);
    const struct mpj_prof_func *const in = mpj_profile_at(r->p, call);
    const char *name = caller->function;
    const size_t length = (size_t)(mpj_copy_suffix(name) - name);

    if (inlined.name != NULL)
        return label_of(r, inlined.name, inlined.file);
    if (in != NULL && strlen(in->name) == length && strncmp(in->name, name, length) == 0)
        return in->label;
    return label_of(r, name, NULL);
}

static void add_waits(const struct reading *r, const struct mpj_run *run)
{
    for (unsigned i = 0; i < run->waits; i++) {
        const struct mpj_wait_result *const w = &run->wait[i];
        if (w->caller.function != NULL && mpj_wait_is_block(w->kind))
            add(row_of(r->functions, waiter(r, &w->caller)), "wait", w->total_s * 1e9);
    }
}

/*
 * Writes functions. Sums of cells in femtojoules are rounded once for each node: for some thousand
 * nodes that is below the resolution of a limit.
 */
static int functions(json_t *o, const struct mpj_run *run, const char *store, const char *elf,
                     struct mpj_err *err)
{
    struct reading r = {.functions = json_object_get(o, "functions"),
                        .runtime = json_object_get(o, "runtime"),
                        .p = run->profile,
                        .err = err};
    int result = MPJ_E_OK;

    if (run->profile == NULL)
        return MPJ_E_OK;
    r.calls = gate_calls_open(store, elf);
    r.owner = calloc(r.p->nodes + 1U, sizeof(*r.owner));
    r.entry = calloc(r.p->nodes + 1U, sizeof(*r.entry));
    if (r.calls == NULL || r.owner == NULL || r.entry == NULL)
        result = mpj_err_nomem(err);
    else
        result = add_nodes(&r);
    if (result == MPJ_E_OK)
        add_waits(&r, run);
    free(r.owner);
    free(r.entry);
    gate_calls_free(r.calls);
    return result;
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
    if (functions(o, run, store, elf, err) == MPJ_E_OK &&
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
            if (json_is_integer(first))
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
