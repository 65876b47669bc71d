/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two runs as JSON, CSV and folded stacks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "report_int.h"
#include "view/diff_out.h"

#define FJ_PER_UJ 1e9

static bool is_energy(const struct mpj_prof_item *item)
{
    return strcmp(item->unit, "fJ") == 0;
}

/* ---- JSON ------------------------------------------------------------------------------ */

/* Returns [A, B]; null for an unknown value. */
static json_t *pair(double a, double b)
{
    json_t *const o = json_array();

    json_array_append_new(o, isfinite(a) ? json_real(a) : json_null());
    json_array_append_new(o, isfinite(b) ? json_real(b) : json_null());
    return o;
}

static json_t *counts(int64_t a, int64_t b)
{
    json_t *const o = json_array();

    json_array_append_new(o, json_integer(a));
    json_array_append_new(o, json_integer(b));
    return o;
}

/* Writes changed items only. */
static void put_costs(json_t *o, const struct mpj_diff *d, int64_t *const cost[2],
                      const bool unknown[2])
{
    json_t *const events = json_object();
    json_t *const causes = json_object();

    if (d->energy >= 0)
        json_object_set_new(o, "energy_uj",
                            pair(unknown[0] ? NAN : (double)cost[0][d->energy] / FJ_PER_UJ,
                                 unknown[1] ? NAN : (double)cost[1][d->energy] / FJ_PER_UJ));
    if (d->cycles >= 0)
        json_object_set_new(o, "cycles", counts(cost[0][d->cycles], cost[1][d->cycles]));
    for (unsigned i = 0; i < d->items; i++) {
        const int64_t a = cost[0][i];
        const int64_t b = cost[1][i];
        if (a == b || (int)i == d->energy || (int)i == d->cycles)
            continue;
        if (i >= d->first_cause)
            json_object_set_new(causes, d->item[i].name + strlen(DIFF_CAUSE),
                                pair((double)a / FJ_PER_UJ, (double)b / FJ_PER_UJ));
        else if (!is_energy(&d->item[i]))
            json_object_set_new(events, d->item[i].name, counts(a, b));
    }
    json_object_set_new(o, "events", events);
    json_object_set_new(o, "causes_uj", causes);
}

static json_t *labels(const struct mpj_diff *d)
{
    json_t *const list = json_array();

    for (unsigned i = 0; i < d->labels; i++) {
        const struct mpj_diff_label *const l = &d->label[i];
        json_t *const o = json_object();
        json_put_text(o, "name", l->name);
        json_put_text(o, "of", l->tool ? "tools" : "program");
        json_put_text(o, "a", l->value[0]);
        json_put_text(o, "b", l->value[1]);
        json_object_set_new(o, "differs", json_boolean(l->differs));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *rows(const struct mpj_diff *d, enum mpj_diff_by by, int top)
{
    const struct mpj_diff_table *const t = &d->table[by];
    json_t *const list = json_array();

    for (unsigned i = 0; i < t->rows && (top <= 0 || i < (unsigned)top); i++) {
        const struct mpj_diff_row *const r = &t->row[i];
        const int cause = mpj_diff_cause(d, r);
        json_t *const o = json_object();
        json_put_text(o, "name", r->name);
        json_put_text(o, "file", r->file);
        if (r->line > 0)
            json_put_count(o, "line", (uint64_t)r->line);
        json_put_text(o, "in", r->in[0] && r->in[1] ? "both" : r->in[0] ? "a" : "b");
        if (by != MPJ_DIFF_THREADS)
            json_object_set_new(o, "calls", counts((int64_t)r->calls[0], (int64_t)r->calls[1]));
        put_costs(o, d, r->cost, r->unknown);
        if (cause >= 0)
            json_put_text(o, "cause", d->item[cause].name + strlen(DIFF_CAUSE));
        json_array_append_new(list, o);
    }
    return list;
}

int diff_json(const struct mpj_diff_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_diff *const d = r->diff;
    json_t *const root = json_object();
    json_t *const all = json_object();
    static const bool known[2];

    json_put_text(root, "schema", "mpjoule-diff/1");
    json_object_set_new(root, "labels", labels(d));
    json_object_set_new(root, "time_s", pair(d->time_s[0], d->time_s[1]));
    if (d->measured[0] != '\0') {
        json_object_set_new(root, "energy_uj", pair(d->energy_uj[0], d->energy_uj[1]));
        json_put_text(root, "energy_by", d->measured);
    }
    if (d->source >= 0)
        json_put_text(root, "profile", mpj_profile_source_name((enum mpj_prof_source)d->source));
    json_object_set_new(root, "why", diff_why_json(d));
    put_costs(all, d, d->all, known);
    json_object_set_new(root, "all", all);
    for (unsigned by = 0; by < MPJ_DIFF_TABLES; by++)
        json_object_set_new(root, mpj_diff_table_name((enum mpj_diff_by)by),
                            rows(d, (enum mpj_diff_by)by, r->top));
    return json_write(root, f, err);
}

/* ---- CSV ------------------------------------------------------------------------------- */

/* Writes energies and their change, in microjoules; an unknown one is empty. */
static void csv_energy(int64_t a, int64_t b, const bool unknown[2], FILE *f)
{
    fputs(",uJ,", f);
    if (!unknown[0])
        fprintf(f, "%.12g", (double)a / FJ_PER_UJ);
    fputc(',', f);
    if (!unknown[1])
        fprintf(f, "%.12g", (double)b / FJ_PER_UJ);
    fputc(',', f);
    if (!unknown[0] && !unknown[1])
        fprintf(f, "%.12g", (double)(b - a) / FJ_PER_UJ);
    fputc('\n', f);
}

static void csv_row(const struct mpj_diff *d, const char *table, const char *name, const char *file,
                    int line, int64_t *const cost[2], const bool unknown[2], FILE *f)
{
    for (unsigned i = 0; i < d->items; i++) {
        const bool energy = is_energy(&d->item[i]);
        const char *const item = (int)i == d->energy   ? "energy"
                                 : i >= d->first_cause ? d->item[i].name + strlen(DIFF_CAUSE)
                                                       : d->item[i].name;
        const int64_t a = cost[0][i];
        const int64_t b = cost[1][i];
        if (a == 0 && b == 0)
            continue;
        fprintf(f, "%s,", table);
        mpj_csv_quoted(f, name);
        fputc(',', f);
        mpj_csv_quoted(f, file);
        fprintf(f, ",%d,", line);
        mpj_csv_text(f, item);
        if (energy)
            csv_energy(a, b, unknown, f);
        else
            fprintf(f, ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", d->item[i].unit, a, b, b - a);
    }
}

int diff_csv(const struct mpj_diff_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_diff *const d = r->diff;

    static const bool known[2];

    (void)err;
    fputs("table,name,file,line,item,unit,a,b,change\n", f);
    csv_row(d, "all", "", NULL, 0, d->all, known, f);
    for (unsigned by = 0; by < MPJ_DIFF_TABLES; by++) {
        const struct mpj_diff_table *const t = &d->table[by];
        for (unsigned i = 0; i < t->rows && (r->top <= 0 || i < (unsigned)r->top); i++)
            csv_row(d, mpj_diff_table_name((enum mpj_diff_by)by), t->row[i].name, t->row[i].file,
                    t->row[i].line, t->row[i].cost, t->row[i].unknown, f);
    }
    return MPJ_E_OK;
}

/* ---- folded stacks --------------------------------------------------------------------- */

struct stack {
    const char *path;
    uint64_t value[2];
};

struct stacks {
    struct stack *row;
    size_t n;
    char *text[2]; /* the texts that the paths point into */
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct stack *)a)->path, ((const struct stack *)b)->path);
}

/* Adds the lines of one run, "COST: LABEL;FRAME;FRAME VALUE"; the label is that run's own. */
static void add_lines(struct stacks *s, int side)
{
    char *line = s->text[side];

    while (line != NULL && *line != '\0') {
        char *const end = strchrnul(line, '\n');
        const bool more = *end != '\0';
        char *space;
        char *path;
        *end = '\0';
        space = strrchr(line, ' ');
        path = strchr(line, ';');
        if (space != NULL && path != NULL) {
            struct stack *const row = &s->row[s->n++];
            *space = '\0';
            *row = (struct stack){.path = path};
            row->value[side] = strtoull(space + 1, NULL, 10);
        }
        line = more ? end + 1 : end;
    }
}

static size_t count_lines(const char *text)
{
    size_t n = 1;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

static int write_folded(const struct mpj_diff_report *r, int side, char **text, struct mpj_err *err)
{
    const struct mpj_diff *const d = r->diff;
    const struct mpj_exporter *const as = mpj_exporter_find("folded", err);
    const struct mpj_report report = {.view = mpj_view_find(MPJ_VIEW_SUMMARY, err),
                                      .run = r->run[side],
                                      .sort = d->item[d->order].name,
                                      .top = -1};
    size_t size;
    FILE *const f = open_memstream(text, &size);
    int result;

    if (f == NULL)
        return mpj_err_nomem(err);
    result = mpj_report_show(&report, as, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_nomem(err);
    return result;
}

static void put_stacks(const struct mpj_diff *d, const struct stacks *s, FILE *f)
{
    for (size_t i = 0; i < s->n;) {
        struct stack sum = s->row[i];
        for (i++; i < s->n && strcmp(s->row[i].path, sum.path) == 0; i++) {
            sum.value[0] += s->row[i].value[0];
            sum.value[1] += s->row[i].value[1];
        }
        fprintf(f, "%s (%s): A and B%s %" PRIu64 " %" PRIu64 "\n", d->item[d->order].name,
                is_energy(&d->item[d->order]) ? "nJ" : d->item[d->order].unit, sum.path,
                sum.value[0], sum.value[1]);
    }
}

int diff_folded(const struct mpj_diff_report *r, FILE *f, struct mpj_err *err)
{
    struct stacks s = {.row = NULL};
    int result = MPJ_E_OK;

    if (r->diff->source < 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "no profile of functions is in both runs: record them with `mpjoule run "
                           "--functions`");
    for (int side = 0; side < 2 && result == MPJ_E_OK; side++)
        result = write_folded(r, side, &s.text[side], err);
    if (result == MPJ_E_OK) {
        s.row = calloc(count_lines(s.text[0]) + count_lines(s.text[1]), sizeof(*s.row));
        if (s.row == NULL)
            result = mpj_err_nomem(err);
    }
    if (s.row != NULL) {
        add_lines(&s, 0);
        add_lines(&s, 1);
        qsort(s.row, s.n, sizeof(*s.row), by_path);
        put_stacks(r->diff, &s, f);
    }
    free(s.row);
    free(s.text[0]);
    free(s.text[1]);
    return result;
}

/* ---- by name --------------------------------------------------------------------------- */

mpj_diff_put *mpj_diff_format(const char *name)
{
    static const struct {
        const char *name;
        mpj_diff_put *put;
    } known[] = {{MPJ_FORMAT_TEXT, diff_text},
                 {"json", diff_json},
                 {"csv", diff_csv},
                 {"html", diff_html},
                 {"folded", diff_folded}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0)
            return known[i].put;
    }
    return NULL;
}
