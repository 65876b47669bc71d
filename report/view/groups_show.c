/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of counter groups. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report_int.h"

#define LABEL_WIDTH 34
#define CELL_WIDTH  15

static void cell(FILE *f, double v)
{
    char text[40] = "-";

    if (!isnan(v))
        snprintf(text, sizeof(text),
                 fabs(v) >= 1e6     ? "%.4g"
                 : fabs(v) >= 100.0 ? "%.1f"
                                    : "%.3f",
                 v);
    fprintf(f, "%*s", CELL_WIDTH, text);
}

static void label(FILE *f, const struct mpj_metric *m)
{
    char text[200];

    if (strcmp(m->unit, "1") == 0)
        snprintf(text, sizeof(text), "%s", m->name);
    else
        snprintf(text, sizeof(text), "%s (%s)", m->name, m->unit);
    fprintf(f, "  %-*s", LABEL_WIDTH, text);
}

int mpj_group_print(const struct mpj_group *g, const struct mpj_run *run, FILE *out,
                    struct mpj_err *err)
{
    unsigned cores = 0;
    bool any = false;

    fprintf(out, "\n%s (group %s)\n", g->title, g->name);
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        cores += run->core[k].present;
    for (unsigned i = 0; i < g->metrics; i++)
        any = any || g->metric[i].scope == MPJ_METRIC_CORE;
    if (any) {
        fprintf(out, "  %-*s", LABEL_WIDTH, "");
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            if (run->core[k].present)
                fprintf(out, "%*s%u", CELL_WIDTH - 1, "core ", k);
        }
        fprintf(out, cores > 1 ? "%*s\n" : "\n", CELL_WIDTH, "all");
    }
    for (unsigned i = 0; i < g->metrics; i++) {
        if (g->metric[i].scope != MPJ_METRIC_CORE)
            continue;
        label(out, &g->metric[i]);
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            if (run->core[k].present)
                cell(out, mpj_group_value(g, i, run, (int)k));
        }
        if (cores > 1)
            cell(out, mpj_group_value(g, i, run, -1));
        fputc('\n', out);
    }
    for (unsigned i = 0; i < g->metrics; i++) {
        if (g->metric[i].scope != MPJ_METRIC_CHIP)
            continue;
        label(out, &g->metric[i]);
        cell(out, mpj_group_value(g, i, run, -1));
        fputc('\n', out);
    }
    if (fflush(out) != 0 || ferror(out))
        return mpj_err_errno(err, "cannot write the report");
    return MPJ_E_OK;
}

static int put_text(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < r->groups && result == MPJ_E_OK; i++)
        result = mpj_group_print(r->group[i], r->run, out, err);
    return result;
}

/* ---- JSON ------------------------------------------------------------------------- */

static void put_value(json_t *o, const struct mpj_group *g, unsigned metric,
                      const struct mpj_run *run, int core)
{
    const double v = mpj_group_value(g, metric, run, core);

    if (isfinite(v))
        json_put_real(o, "value", v);
}

static json_t *metric_json(const struct mpj_group *g, unsigned metric, const struct mpj_run *run)
{
    json_t *const o = json_object();
    json_t *cores;

    json_put_text(o, "name", g->metric[metric].name);
    json_put_text(o, "unit", g->metric[metric].unit);
    json_put_text(o, "formula", g->metric[metric].formula);
    put_value(o, g, metric, run, -1);
    if (g->metric[metric].scope == MPJ_METRIC_CHIP)
        return o;
    cores = json_array();
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        json_t *core;
        if (!run->core[k].present)
            continue;
        core = json_object();
        json_put_count(core, "core", k);
        put_value(core, g, metric, run, (int)k);
        json_array_append_new(cores, core);
    }
    json_object_set_new(o, "cores", cores);
    return o;
}

/* Writes "mpjoule-groups/1": value is that of the chip, or of all cores; absent: cannot be
 * computed. */
static int put_json(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    json_t *const root = json_object();
    json_t *const groups = json_array();

    json_put_text(root, "schema", "mpjoule-groups/1");
    json_put_text(root, "target", r->run->target);
    json_put_text(root, "program", r->run->program);
    json_put_text(root, "calibration", r->run->calibration);
    for (unsigned i = 0; i < r->groups; i++) {
        json_t *const o = json_object();
        json_t *const metrics = json_array();
        json_put_text(o, "group", r->group[i]->name);
        json_put_text(o, "title", r->group[i]->title);
        for (unsigned m = 0; m < r->group[i]->metrics; m++)
            json_array_append_new(metrics, metric_json(r->group[i], m, r->run));
        json_object_set_new(o, "metrics", metrics);
        json_array_append_new(groups, o);
    }
    json_object_set_new(root, "groups", groups);
    return json_write(root, out, err);
}

const struct mpj_view view_groups = {"groups", MPJ_NEEDS_GROUPS, put_text, csv_groups, put_json};
