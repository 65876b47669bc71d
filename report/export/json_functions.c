/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report_int.h"

#define FJ_PER_UJ 1e9
/* Limit of rows by thread in one document; a program with more has them in CSV. */
#define ROWS_MAX 20000U

static const char *const kinds[] = {"program", "runtime", "interrupt",
                                    "idle",    "unknown", "inlined"};

/* Writes the interval of a function's energy where that is the model's. */
static void put_interval(json_t *o, const struct mpj_profile *p, const int64_t *v,
                         const struct mpj_interval *by)
{
    if (by != NULL && p->source == MPJ_PROF_ENTRIES && p->energy >= 0 && p->cycles >= 0 &&
        v[p->energy] > 0 && p->clock_hz > 0)
        json_energy(o, "interval_uj",
                    mpj_interval_uj(by, MPJ_OF_FUNCTION, (double)v[p->energy] / FJ_PER_UJ,
                                    (double)v[p->cycles] / p->clock_hz));
}

/* Returns the figures of a row; without those that are 0 in `all`: they were not measured there.
 * by: the interval of the run's model, or NULL. */
static json_t *costs(const struct mpj_profile *p, const int64_t *v, const int64_t *all,
                     const struct mpj_interval *by)
{
    json_t *const o = json_object();
    json_t *const events = json_object();
    json_t *const causes = json_object();

    if (p->cycles >= 0 && all[p->cycles] > 0 && p->clock_hz > 0)
        json_put_real(o, "time_s", (double)v[p->cycles] / p->clock_hz);
    if (p->cycles >= 0 && all[p->cycles] > 0)
        json_put_count(o, "cycles", (uint64_t)v[p->cycles]);
    if (p->samples >= 0 && all[p->samples] > 0)
        json_put_count(o, "samples", (uint64_t)v[p->samples]);
    if (p->energy >= 0 && all[p->energy] > 0)
        json_put_real(o, "energy_uj", (double)v[p->energy] / FJ_PER_UJ);
    put_interval(o, p, v, by);
    for (unsigned i = 0; i < p->items; i++) {
        if (all[i] == 0)
            continue;
        if (i >= p->first_cause)
            json_put_real(causes, p->item[i].name + strlen("fj:"), (double)v[i] / FJ_PER_UJ);
        else if ((int)i != p->cycles && (int)i != p->energy && (int)i != p->samples)
            json_put_count(events, p->item[i].name, (uint64_t)v[i]);
    }
    json_object_set_new(o, "events", events);
    if (json_object_size(causes) > 0)
        json_object_set(o, "causes_uj", causes);
    json_decref(causes);
    return o;
}

/* Lists suffixes of the compiler's copies, if there are any; "" is the function itself. */
static void put_copies(json_t *o, const struct mpj_prof_func *func)
{
    json_t *const list = json_array();

    for (unsigned i = 0; i < func->copies; i++)
        json_array_append_new(list, json_string(func->copy[i].suffix));
    if (func->copies > 1 || (func->copies == 1 && func->copy[0].suffix[0] != '\0'))
        json_object_set(o, "copies", list);
    json_decref(list);
}

static void put_func(json_t *o, const struct mpj_prof_func *func)
{
    json_put_text(o, "name", func->name);
    json_put_text(o, "file", func->file);
    if (func->line > 0)
        json_put_count(o, "line", (uint64_t)func->line);
    json_put_text(o, "kind", kinds[func->kind]);
    put_copies(o, func);
}

/* Writes how exact a function's cycles are. */
static void put_error(json_t *o, const struct mpj_prof_func *func)
{
    json_t *error;

    if (!func->has_error)
        return;
    error = json_object();
    json_put_count(error, "records", func->records);
    json_put_real(error, "self_cycles", func->self_error);
    json_put_real(error, "total_cycles", func->total_error);
    json_object_set_new(o, "standard_error", error);
}

static void put_rows(struct json_out *doc, const struct mpj_run *run,
                     const struct mpj_prof_table *t)
{
    const struct mpj_profile *const p = run->profile;
    const struct mpj_interval *const by = run->model.present ? &run->model.interval : NULL;

    for (unsigned i = 0; i < t->rows; i++) {
        const struct mpj_prof_row *const r = &t->row[i];
        json_t *const o = json_object();
        put_func(o, &p->func[r->func]);
        if (r->thread >= 0)
            json_put_count(o, "thread", (uint64_t)r->thread);
        json_put_count(o, "calls", r->calls);
        json_object_set_new(o, "self", costs(p, r->self, p->sum, by));
        json_object_set_new(o, "total", costs(p, r->total, p->sum, by));
        if (r->thread < 0)
            put_error(o, &p->func[r->func]);
        json_out_put(doc, NULL, o);
    }
}

/* Drops rows without a thread: they are in the rows of all threads. */
static void drop_threadless(struct mpj_prof_table *t)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < t->rows; i++) {
        if (t->row[i].thread >= 0)
            t->row[kept++] = t->row[i];
    }
    t->rows = kept;
}

/* Builds rows in the order of display; those by thread, `threads`, with a thread only. */
static int make_table(const struct mpj_profile *p, bool threads, struct mpj_prof_table *t,
                      struct mpj_err *err)
{
    struct mpj_prof_sort order;

    if (mpj_profile_table(p, threads ? MPJ_BY_FUNC | MPJ_BY_THREAD : MPJ_BY_FUNC, t, err) !=
            MPJ_E_OK ||
        mpj_profile_sort(p, NULL, &order, err) != MPJ_E_OK)
        return err->code;
    if (threads)
        drop_threadless(t);
    mpj_profile_order(p, t, order);
    return MPJ_E_OK;
}

static json_t *head_of(const struct mpj_profile *p)
{
    json_t *const head = json_object();

    json_put_text(head, "source", mpj_profile_source_name(p->source));
    json_object_set_new(head, "chip", costs(p, p->chip, p->chip, NULL));
    json_object_set_new(head, "functions", costs(p, p->sum, p->sum, NULL));
    if (p->filtered)
        json_object_set_new(head, "filtered", json_true());
    if (p->lost > 0)
        json_put_count(head, "stack_losses", p->lost);
    if (p->merged) {
        json_object_set_new(head, "paths_merged", json_true());
        json_put_real(head, "paths_merged_share", p->merged_share);
    }
    if (p->chip_shared != 0)
        json_put_real(head, "chip_shared_uj", (double)p->chip_shared / FJ_PER_UJ);
    return head;
}

int json_functions(struct json_out *doc, const struct mpj_run *run, struct mpj_err *err)
{
    const struct mpj_profile *const p = run->profile;
    struct mpj_prof_table all = {0};
    struct mpj_prof_table threads = {0};
    json_t *head;
    int result;

    if (p == NULL)
        return MPJ_E_OK;
    result = make_table(p, false, &all, err);
    if (result == MPJ_E_OK)
        result = make_table(p, true, &threads, err);
    if (result == MPJ_E_OK) {
        head = head_of(p);
        if (threads.rows > ROWS_MAX)
            json_put_count(head, "thread_rows_left_out", threads.rows);
        json_out_put(doc, "profile", head);
        json_out_open(doc, "functions", '[');
        put_rows(doc, run, &all);
        if (threads.rows <= ROWS_MAX)
            put_rows(doc, run, &threads);
        json_out_close(doc);
    }
    mpj_profile_table_free(&all);
    mpj_profile_table_free(&threads);
    return result;
}

void json_paths(struct json_out *doc, const struct mpj_profile *p)
{
    json_out_open(doc, "paths", '[');
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct mpj_prof_node *const n = &p->node[i];
        json_t *const o = json_object();
        json_put_count(o, "path", i);
        if (n->parent != MPJ_PROF_NO_PARENT)
            json_put_count(o, "parent", n->parent);
        json_put_count(o, "depth", n->depth);
        put_func(o, &p->func[n->func]);
        if (n->thread >= 0)
            json_put_count(o, "thread", (uint64_t)n->thread);
        if (n->core >= 0)
            json_put_count(o, "core", (uint64_t)n->core);
        if (n->region >= 0)
            json_put_count(o, "region", (uint64_t)n->region);
        json_put_count(o, "calls", n->calls);
        json_object_set_new(o, "self", costs(p, p->self + (size_t)i * p->items, p->sum, NULL));
        json_object_set_new(o, "total", costs(p, p->total + (size_t)i * p->items, p->sum, NULL));
        json_out_put(doc, NULL, o);
    }
    json_out_close(doc);
}
