/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tune_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/json.h"
#include "chart.h"
#include "cli.h"
#include "conclude.h"

#define COLUMN 14 /* width of a figure */

static const char *const states[] = {"not measured", "measured",   "failed",
                                     "infeasible",   "over a cap", "stopped"};

static unsigned count(const struct run_tune *t, enum run_tune_state state)
{
    unsigned n = 0;

    for (unsigned k = 0; k < t->points; k++)
        n += t->point[k].state == state;
    return n;
}

static bool has_figures(const struct run_tune_point *p)
{
    return p->state == RUN_TUNE_MEASURED || p->state == RUN_TUNE_OVER;
}

/* Returns the excess of the found point over the best point of the landscape; 0: it is the best.
 * Negative when not known. */
static double regret(const struct run_tune *t, unsigned objective)
{
    const int best = t->best[objective];

    if (t->landscape == NULL || best < 0 || t->least[objective] <= 0)
        return -1;
    return t->point[best].objective[objective] / t->least[objective] - 1;
}

/* ---- text ------------------------------------------------------------------------------- */

static int width(const struct run_tune_axis *a)
{
    size_t most = strlen(a->name);

    for (unsigned v = 0; v < a->values; v++)
        most = strlen(a->value[v]) > most ? strlen(a->value[v]) : most;
    return (int)most + 2;
}

static void row(const struct run_tune *t, unsigned k, FILE *f)
{
    const struct run_tune_point *const p = &t->point[k];
    const char *comma = "  ";

    for (unsigned i = 0; i < t->axes; i++)
        fprintf(f, "%-*s", width(&t->axis[i]), t->axis[i].value[p->index[i]]);
    for (unsigned i = 0; has_figures(p) && i < t->objective.n; i++)
        fprintf(f, "%*.6g", COLUMN, p->objective[i]);
    if (p->state != RUN_TUNE_MEASURED)
        fprintf(f, "  %s: %s", states[p->state], p->reason != NULL ? p->reason : "");
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (t->best[i] != (int)k)
            continue;
        fprintf(f, "%sbest %s", comma, t->objective.at[i].text);
        comma = ", ";
    }
    if (t->knee == (int)k && t->objective.n > 1)
        fprintf(f, "%sknee", comma);
    fputc('\n', f);
}

static void point_name(const struct run_tune *t, unsigned best, unsigned point, FILE *f)
{
    const char *comma = "";

    for (unsigned a = 0; a < t->axes; a++) {
        const char *const value = t->axis[a].value[t->point[point].index[a]];
        if (t->point[point].index[a] == t->point[best].index[a])
            continue;
        fprintf(f, "%s%s=%s", comma, t->axis[a].name, value[0] != '\0' ? value : "(none)");
        comma = ", ";
    }
}

static void why(const struct run_tune *t, FILE *f)
{
    struct run_tune_reason r;

    if (t->best[0] < 0)
        return;
    fprintf(f,
            "\nNeighbours of the best by %s, relative to it (time = instructions x cost / busy "
            "cores)\n",
            t->objective.at[0].text);
    for (unsigned a = 0; a < t->axes; a++) {
        if (!run_tune_explain(t, 0, a, &r))
            continue;
        fprintf(f, "  ");
        point_name(t, (unsigned)t->best[0], r.point, f);
        fprintf(f, ": time x%.3f = instructions x%.3f, cost x%.3f, cores x%.3f", r.time,
                r.instructions, r.cost, r.cores);
        if (r.power > 0)
            fprintf(f, "; power x%.3f", r.power);
        if (r.event != NULL)
            fprintf(f, "; %s %.3f -> %.3f cycles per instruction", r.event, r.event_before,
                    r.event_after);
        fputc('\n', f);
    }
}

/* Prints how far the best points may be from those that were not measured. */
static void bounds(const struct run_tune *t, FILE *f)
{
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (t->best[i] < 0 || t->bound[i] < 0)
            continue;
        fprintf(f, "best %s: ", t->objective.at[i].text);
        if (isfinite(t->bound[i]))
            fprintf(f, "at most %.2f %% above the best of all %u points (confidence %.0f %%)\n",
                    100 * t->bound[i], t->points, 100 * RUN_TUNE_CONFIDENCE);
        else
            fprintf(f, "too few points, or too many, to say how far it is from the best of all\n");
    }
}

static void text(const struct run_tune *t, bool all, bool explain, FILE *f)
{
    fprintf(f, "%u points", t->points);
    if (count(t, RUN_TUNE_NEW) > 0)
        fprintf(f, ", %u evaluated (%s)", t->evaluations, t->strategy);
    fprintf(f, ": %u measured", count(t, RUN_TUNE_MEASURED));
    for (enum run_tune_state s = RUN_TUNE_FAILED; s <= RUN_TUNE_STOPPED; s++) {
        if (count(t, s) > 0)
            fprintf(f, ", %u %s", count(t, s), states[s]);
    }
    fprintf(f, "\n%s\n\n",
            all ? "All points" : "Pareto front: no point is better in every objective");
    for (unsigned i = 0; i < t->axes; i++)
        fprintf(f, "%-*s", width(&t->axis[i]), t->axis[i].name);
    for (unsigned i = 0; i < t->objective.n; i++)
        fprintf(f, "%*s", COLUMN, t->objective.at[i].text);
    fputc('\n', f);
    for (unsigned k = 0; k < t->points; k++) {
        if (all ? t->point[k].state != RUN_TUNE_NEW : t->point[k].front)
            row(t, k, f);
    }
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (regret(t, i) >= 0)
            fprintf(f, "%sregret by %s: %.2f %%", i > 0 ? ", " : "\n", t->objective.at[i].text,
                    100 * regret(t, i));
    }
    if (t->landscape != NULL)
        fputc('\n', f);
    if (count(t, RUN_TUNE_NEW) > 0)
        bounds(t, f);
    if (explain)
        why(t, f);
}

/* Prints the table. Values and reasons may come from files of other users: cleaned, none commands a
 * terminal. */
static int show_text(const struct run_tune *t, bool all, bool explain, struct mpj_err *err)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f != NULL)
        text(t, all, explain, f);
    if (f == NULL || fclose(f) != 0) {
        free(out);
        return mpj_err_nomem(err);
    }
    mpj_text_clean_lines(out);
    fputs(out, stdout);
    free(out);
    return MPJ_E_OK;
}

static json_t *why_json(const struct run_tune *t)
{
    json_t *const list = json_array();
    struct run_tune_reason r;

    for (unsigned a = 0; t->best[0] >= 0 && a < t->axes; a++) {
        json_t *o;
        if (!run_tune_explain(t, 0, a, &r))
            continue;
        o = json_pack("{sssisfsfsfsf}", "axis", t->axis[a].name, "point", (int)r.point, "time",
                      r.time, "instructions", r.instructions, "cost", r.cost, "cores", r.cores);
        if (r.power > 0)
            json_put_real(o, "power", r.power);
        if (r.event != NULL) {
            json_put_text(o, "event", r.event);
            json_put_real(o, "event_before", r.event_before);
            json_put_real(o, "event_after", r.event_after);
        }
        json_array_append_new(list, o);
    }
    return list;
}

/* ---- JSON and CSV ----------------------------------------------------------------------- */

json_t *tune_list_json(const struct run_tune_list *l)
{
    json_t *const a = json_array();

    for (unsigned i = 0; i < l->n; i++)
        json_array_append_new(a, json_string(l->at[i].text));
    return a;
}

json_t *tune_at_json(const struct run_tune *t, const struct run_tune_point *p)
{
    json_t *const at = json_object();

    for (unsigned i = 0; i < t->axes; i++)
        json_put_text(at, t->axis[i].name, t->axis[i].value[p->index[i]]);
    return at;
}

json_t *tune_point_json(const struct run_tune *t, const struct run_tune_point *p)
{
    json_t *const o = json_object();
    json_t *const objectives = json_object();

    json_object_set_new(o, "at", tune_at_json(t, p));
    json_put_text(o, "state", states[p->state]);
    json_put_text(o, "reason", p->reason);
    for (unsigned i = 0; i < t->objective.n; i++)
        json_put_real(objectives, t->objective.at[i].text, p->objective[i]);
    if (has_figures(p) || p->state == RUN_TUNE_STOPPED) {
        json_put_real(o, "time_s", p->time_s);
        json_put_real(o, "energy_j", p->energy_j);
    }
    if (has_figures(p)) {
        json_object_set(o, "objectives", objectives);
        json_object_set_new(o, "front", json_boolean(p->front));
    }
    if (p->tried > 0)
        json_put_count(o, "evaluation", p->tried);
    json_decref(objectives);
    return o;
}

static json_t *axes_json(const struct run_tune *t)
{
    json_t *const axes = json_object();

    for (unsigned i = 0; i < t->axes; i++) {
        json_t *const values = json_array();
        for (unsigned v = 0; v < t->axis[i].values; v++)
            json_array_append_new(values, json_string(t->axis[i].value[v]));
        json_object_set_new(axes, t->axis[i].name, values);
    }
    return axes;
}

/* The content of the JSON. */
struct written {
    const struct run_tune *t;
    const struct conclusions *conclusions;
};

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct written *const w = what;
    const struct run_tune *const t = w->t;
    json_t *const regrets = json_object();
    json_t *const bound = json_object();
    json_t *const root = json_object();
    json_t *const points = json_array();
    json_t *const best = json_object();

    json_put_text(root, "schema", "mpjoule-tune/1");
    json_object_set_new(root, "axes", axes_json(t));
    json_object_set_new(root, "objectives", tune_list_json(&t->objective));
    json_object_set_new(root, "constraints", tune_list_json(&t->constraint));
    json_object_set_new(root, "caps", tune_list_json(&t->cap));
    for (unsigned k = 0; k < t->points; k++)
        json_array_append_new(points, tune_point_json(t, &t->point[k]));
    json_object_set_new(root, "points", points);
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (t->best[i] >= 0)
            json_object_set_new(best, t->objective.at[i].text, json_integer(t->best[i]));
    }
    json_object_set_new(root, "best", best);
    json_object_set_new(root, "why", why_json(t));
    json_put_text(root, "strategy", t->talk == RUN_TUNE_TELL ? "tell" : t->strategy);
    json_put_count(root, "evaluations", t->evaluations);
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (t->best[i] >= 0 && t->bound[i] >= 0 && isfinite(t->bound[i]))
            json_put_real(bound, t->objective.at[i].text, t->bound[i]);
        if (regret(t, i) >= 0)
            json_put_real(regrets, t->objective.at[i].text, regret(t, i));
    }
    json_object_set_new(root, "bound", bound);
    json_put_real(root, "confidence", RUN_TUNE_CONFIDENCE);
    if (t->landscape != NULL)
        json_object_set(root, "regret", regrets);
    json_decref(regrets);
    if (t->knee >= 0)
        json_object_set_new(root, "knee", json_integer(t->knee));
    if (w->conclusions != NULL)
        conclude_json(w->conclusions, root);
    return json_write(root, f, err);
}

static int put_csv(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_tune *const t = what;

    for (unsigned i = 0; i < t->axes; i++) {
        mpj_csv_text(f, t->axis[i].name);
        fputc(',', f);
    }
    fputs("state,reason,front,knee", f);
    for (unsigned i = 0; i < t->objective.n; i++) {
        fputc(',', f);
        mpj_csv_text(f, t->objective.at[i].text);
    }
    fputc('\n', f);
    for (unsigned k = 0; k < t->points; k++) {
        const struct run_tune_point *const p = &t->point[k];
        for (unsigned i = 0; i < t->axes; i++) {
            mpj_csv_text(f, t->axis[i].value[p->index[i]]);
            fputc(',', f);
        }
        fprintf(f, "%s,", states[p->state]);
        mpj_csv_text(f, p->reason);
        fprintf(f, ",%d,%d", p->front, t->knee == (int)k);
        for (unsigned i = 0; i < t->objective.n; i++) {
            fputc(',', f);
            if (has_figures(p))
                fprintf(f, "%.12g", p->objective[i]);
        }
        fputc('\n', f);
    }
    return fflush(f) != 0 ? mpj_err_errno(err, "cannot write the CSV") : MPJ_E_OK;
}

int tune_pass_option(void *ctx, const char *name, const char *value, struct mpj_err *err)
{
    struct run_tune *const t = ctx;

    return run_tune_put(&t->option, name, value, err);
}

char *tune_point_title(const struct run_tune *t, unsigned point)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    for (unsigned a = 0; a < t->axes; a++)
        fprintf(f, "%s%s=%s", a > 0 ? " " : "", t->axis[a].name,
                t->axis[a].value[t->point[point].index[a]]);
    return fclose(f) == 0 ? out : NULL;
}

static int draw(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_tune *const t = what;
    struct chart c = {.x = t->objective.at[0].text, .y = t->objective.at[t->objective.n > 1].text};
    bool full;

    c.point = calloc(t->points, sizeof(*c.point));
    full = c.point != NULL;
    for (unsigned k = 0; full && k < t->points; k++) {
        struct chart_point *const p = &c.point[c.points];
        if (t->point[k].state != RUN_TUNE_MEASURED)
            continue;
        *p = (struct chart_point){.x = t->point[k].objective[0],
                                  .y = t->point[k].objective[t->objective.n > 1],
                                  .size = (int)k == t->knee ? 1 : 0.2,
                                  .front = t->point[k].front,
                                  .title = tune_point_title(t, k)};
        full = p->title != NULL;
        c.points++;
    }
    return chart_end(&c, full, f, err);
}

/* Returns the number of points with figures. */
static unsigned figures(const struct run_tune *t)
{
    unsigned n = 0;

    for (unsigned k = 0; k < t->points; k++)
        n += has_figures(&t->point[k]);
    return n;
}

static int write_all(const struct run_tune *t, const struct tune_files *files, struct mpj_err *err)
{
    const struct written w = {t, files->conclusions};
    const bool any = figures(t) > 0;
    const char *const svg = any ? files->svg : NULL;
    const char *const land = cli_place(files->landscape, any);
    struct mpj_err why;
    int result = cli_output(MPJ_E_OK, cli_place(files->json, any), put_json, &w, err);

    result = cli_output(result, cli_place(files->csv, any), put_csv, t, err);
    if (files->conclusions != NULL)
        result = cli_output(result, svg, conclude_draw, files->conclusions, err);
    else
        result = cli_output(result, svg, draw, t, err);
    if (land == NULL || cli_is_stdout(land))
        return cli_output(result, land, run_tune_landscape_put, t, err);
    if (run_tune_landscape_write(t, land, &why) == MPJ_E_OK || result != MPJ_E_OK)
        return result;
    *err = why;
    return err->code;
}

int tune_show(const struct run_tune *t, bool all, bool explain, const struct tune_files *files,
              struct mpj_err *err)
{
    const bool shown = !cli_is_stdout(files->json) && !cli_is_stdout(files->csv) &&
                       !cli_is_stdout(files->svg) && !cli_is_stdout(files->landscape) &&
                       t->talk == RUN_TUNE_ALONE && !cli_quiet();

    if (shown && show_text(t, all, explain, err) != MPJ_E_OK)
        return err->code;
    if (shown && files->conclusions != NULL)
        conclude_text(files->conclusions, stdout);
    if (write_all(t, files, err) != MPJ_E_OK)
        return err->code;
    if (count(t, RUN_TUNE_MEASURED) > 0)
        return MPJ_E_OK;
    for (unsigned k = 0; k < t->points; k++) {
        const struct run_tune_point *const p = &t->point[k];
        if (p->state == RUN_TUNE_FAILED || p->state == RUN_TUNE_OVER)
            return mpj_err_set(err, MPJ_E_PROGRAM, "no point can be chosen; the first: %s: %s",
                               states[p->state], p->reason != NULL ? p->reason : "");
    }
    return mpj_err_set(err, MPJ_E_PROGRAM, "no point was measured%s",
                       t->ended ? ": stdin ended before an answer" : "");
}
