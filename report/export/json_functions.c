/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report_int.h"

#define FJ_PER_UJ 1e9
/* Rows by thread that go into one document; a program with more has them in CSV. */
#define ROWS_MAX 20000U

static const char *const kinds[] = {"program", "runtime", "interrupt",
                                    "idle",    "unknown", "inlined"};

/* Figures of a row; without those that are 0 in `all`: they were not measured there. */
static json_t *costs(const struct mpj_profile *p, const int64_t *v, const int64_t *all)
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

static void add_rows(json_t *list, const struct mpj_profile *p, const struct mpj_prof_table *t)
{
    for (unsigned i = 0; i < t->rows; i++) {
        const struct mpj_prof_row *const r = &t->row[i];
        const struct mpj_prof_func *const func = &p->func[r->func];
        json_t *const o = json_object();
        json_put_text(o, "name", func->name);
        json_put_text(o, "file", func->file);
        if (func->line > 0)
            json_put_count(o, "line", (uint64_t)func->line);
        json_put_text(o, "kind", kinds[func->kind]);
        if (r->thread >= 0)
            json_put_count(o, "thread", (uint64_t)r->thread);
        json_put_count(o, "calls", r->calls);
        json_object_set_new(o, "self", costs(p, r->self, p->sum));
        json_object_set_new(o, "total", costs(p, r->total, p->sum));
        json_array_append_new(list, o);
    }
}

/* Rows of functions on threads only: those without one are in the rows of all threads. */
static void drop_threadless(struct mpj_prof_table *t)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < t->rows; i++) {
        if (t->row[i].thread >= 0)
            t->row[kept++] = t->row[i];
    }
    t->rows = kept;
}

int json_functions(json_t *root, const struct mpj_run *run, struct mpj_err *err)
{
    static const unsigned by[] = {MPJ_BY_FUNC, MPJ_BY_FUNC | MPJ_BY_THREAD};
    const struct mpj_profile *const p = run->profile;
    json_t *list;
    json_t *head;
    int result = MPJ_E_OK;

    if (p == NULL)
        return MPJ_E_OK;
    list = json_array();
    head = json_object();
    json_put_text(head, "source", mpj_profile_source_name(p->source));
    json_object_set_new(head, "chip", costs(p, p->chip, p->chip));
    json_object_set_new(head, "functions", costs(p, p->sum, p->sum));
    if (p->filtered)
        json_object_set_new(head, "filtered", json_true());
    json_object_set(root, "profile", head);
    json_object_set_new(root, "functions", list);
    for (unsigned i = 0; i < 2 && result == MPJ_E_OK; i++) {
        struct mpj_prof_table t;
        result = mpj_profile_table(p, by[i], &t, err);
        if (result == MPJ_E_OK && i == 1)
            drop_threadless(&t);
        if (result == MPJ_E_OK && i == 1 && t.rows > ROWS_MAX) {
            json_put_count(head, "thread_rows_left_out", t.rows);
        } else if (result == MPJ_E_OK) {
            struct mpj_prof_sort order;
            result = mpj_profile_sort(p, NULL, &order, err);
            mpj_profile_order(p, &t, order);
            add_rows(list, p, &t);
        }
        mpj_profile_table_free(&t);
    }
    json_decref(head);
    return result;
}
