/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explore_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/json.h"
#include "chart.h"
#include "cli.h"
#include "conclude.h"
#include "mpj_events.h"
#include "tune_show.h"

#define BAR 24 /* characters of the longest bar, to either side */

static const char *const states[] = {"not run",    "measured",   "failed",
                                     "infeasible", "over a cap", "stopped"};

/* ---- text ------------------------------------------------------------------------------------ */

/* Prints the name of a chip: "l2_kb=256 cores=2". */
static void name(const struct run_explore *x, int point)
{
    const struct run_tune *const t = &x->tune;

    for (unsigned a = 0; a < t->axes; a++)
        printf("%s%s=%s", a > 0 ? " " : "", t->axis[a].name,
               t->axis[a].value[t->point[point].index[a]]);
}

static int width(const struct run_tune_axis *a)
{
    size_t most = strlen(a->name);

    for (unsigned v = 0; v < a->values; v++)
        most = strlen(a->value[v]) > most ? strlen(a->value[v]) : most;
    return (int)most + 2;
}

static void marks(const struct run_explore *x, int point)
{
    const char *comma = "  ";

    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        if (x->found.best[by] == point) {
            printf("%sbest %s", comma, run_explore_by_name(by));
            comma = ", ";
        }
    }
}

static void row(const struct run_explore *x, unsigned k)
{
    const struct run_tune *const t = &x->tune;
    const struct run_explore_cost *const c = &x->cost[k];

    for (unsigned a = 0; a < t->axes; a++)
        printf("%-*s", width(&t->axis[a]), t->axis[a].value[t->point[k].index[a]]);
    if (run_explore_has(x, k))
        printf("%12.4f %12.4f %12.5f %9.1f", c->by[RUN_EXPLORE_TIME] * 1e3,
               c->by[RUN_EXPLORE_ENERGY] * 1e3, c->by[RUN_EXPLORE_EDP] * 1e6, c->area_mm2);
    else
        printf("  %s: %s", states[t->point[k].state],
               t->point[k].reason != NULL ? t->point[k].reason : "");
    marks(x, (int)k);
    putchar('\n');
}

static void chips(const struct run_explore *x, bool all)
{
    const struct run_tune *const t = &x->tune;

    printf("%s\n\n",
           all ? "All chips" : "Pareto front: no other chip is as good in time, energy and area");
    for (unsigned a = 0; a < t->axes; a++)
        printf("%-*s", width(&t->axis[a]), t->axis[a].name);
    printf("%12s %12s %12s %9s\n", "time, ms", "energy, mJ", "edp, uJ s", "area, mm2");
    for (unsigned k = 0; k < t->points; k++) {
        if (all || x->front[k])
            row(x, k);
    }
}

static void smallest(const struct run_explore *x)
{
    printf("\nSmallest chip within %g %% of the best\n", x->within * 100);
    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        const int best = x->found.best[by];
        const int small = x->found.smallest[by];
        printf("  %-7s ", run_explore_by_name(by));
        name(x, small);
        if (small == best)
            printf(": %.1f mm2, the best one\n", x->cost[small].area_mm2);
        else
            printf(": %.1f mm2 instead of %.1f, %+.1f %%\n", x->cost[small].area_mm2,
                   x->cost[best].area_mm2,
                   100 * (x->cost[small].by[by] / x->cost[best].by[by] - 1));
    }
}

/* True if b is the same chip as a except for that axis. */
static bool differ_only_in(const struct run_tune *t, unsigned a, unsigned b, unsigned axis)
{
    for (unsigned i = 0; i < t->axes; i++) {
        if (i != axis && t->point[a].index[i] != t->point[b].index[i])
            return false;
    }
    return true;
}

/* Prints the effect of each size by itself, from the best chip. */
static void axes(const struct run_explore *x)
{
    const struct run_tune *const t = &x->tune;
    const unsigned best = (unsigned)x->found.best[RUN_EXPLORE_EDP];

    printf("\nAround the best by edp, one axis changed at a time\n");
    for (unsigned a = 0; a < t->axes; a++) {
        for (unsigned k = 0; k < t->points; k++) {
            if (k == best || !run_explore_has(x, k) || !differ_only_in(t, best, k, a))
                continue;
            printf("  %s=%-8s", t->axis[a].name, t->axis[a].value[t->point[k].index[a]]);
            for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++)
                printf("  %s x%.3f", run_explore_by_name(by),
                       x->cost[k].by[by] / x->cost[best].by[by]);
            printf("  area x%.2f\n", x->cost[k].area_mm2 / x->cost[best].area_mm2);
        }
    }
}

/* ---- assumptions ------------------------------------------------------------------------------
 */

/* Returns the largest change of the best edp in either direction. */
static double weight(const struct run_explore *x, unsigned i)
{
    double most = fabs(x->varied[i].change[RUN_EXPLORE_EDP]);

    if (i + 1 < x->varieds && strcmp(x->varied[i].name, x->varied[i + 1].name) == 0)
        most = fmax(most, fabs(x->varied[i + 1].change[RUN_EXPLORE_EDP]));
    return most;
}

/* Prints a bar: "#### |     " to the left, "     | ####" to the right. */
static void tornado(double change, double most)
{
    const int length = most > 0 ? (int)lround(fabs(change) / most * BAR) : 0;

    printf("  %+7.2f %%  ", 100 * change);
    for (int i = -BAR; i < 0; i++)
        putchar(change < 0 && -i <= length ? '#' : ' ');
    putchar('|');
    for (int i = 0; change > 0 && i < length; i++)
        putchar('#');
}

static void flipped(const struct run_explore *x, const struct run_explore_varied *v)
{
    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        if (v->best_flips[by] > 0) {
            printf("  %s x%g: best by %s is ", v->name, v->factor, run_explore_by_name(by));
            name(x, v->found.best[by]);
            if (isinf(v->best_flips[by]))
                printf("; the other one is infeasible\n");
            else
                printf("; the other one is %.1f %% worse\n", 100 * v->best_flips[by]);
        }
        if (v->smallest_flips[by]) {
            printf("  %s x%g: smallest within %g %% by %s is ", v->name, v->factor, x->within * 100,
                   run_explore_by_name(by));
            name(x, v->found.smallest[by]);
            putchar('\n');
        }
    }
}

static void assumptions(const struct run_explore *x)
{
    double most = 0;
    unsigned flips = 0;
    unsigned shown = 0;

    if (x->varieds == 0)
        return;
    for (unsigned i = 0; i < x->varieds; i++) {
        most = fmax(most, fabs(x->varied[i].change[RUN_EXPLORE_EDP]));
        flips += x->varied[i].flips;
    }
    printf("\nEdp of the best chip when an assumption changes by %g %% (*: run again)\n",
           x->vary * 100);
    for (unsigned i = 0; i < x->varieds; i++) {
        const struct run_explore_varied *const v = &x->varied[i];
        const unsigned first = i > 0 && strcmp(v->name, x->varied[i - 1].name) == 0 ? i - 1 : i;
        if (weight(x, first) < 0.0005)
            continue;
        shown++;
        printf("  %-18s x%-4g%s", v->name, v->factor, v->rerun ? "*" : " ");
        tornado(v->change[RUN_EXPLORE_EDP], most);
        putchar('\n');
    }
    if (shown < x->varieds)
        printf("  the other %u: less than 0.05 %%\n", x->varieds - shown);
    printf("\nConclusions that flip\n");
    for (unsigned i = 0; i < x->varieds; i++)
        flipped(x, &x->varied[i]);
    if (flips == 0)
        printf("  none\n");
}

static void text(const struct run_explore *x, bool all)
{
    const struct run_tune *const t = &x->tune;
    unsigned measured = 0;

    for (unsigned k = 0; k < t->points; k++)
        measured += run_explore_has(x, k);
    printf(
        "%u chips, %u measured. Emulated; calibration %s, other sizes by laws with assumptions\n",
        t->points, measured, x->calibration);
    chips(x, all);
    if (measured == 0)
        return;
    smallest(x);
    axes(x);
    assumptions(x);
}

/* ---- JSON and CSV -------------------------------------------------------------------------------
 */

/* Returns the events that show whether a working set fits. */
static json_t *events_json(const json_t *figures)
{
    static const unsigned rows[] = {MPJ_ROW_INSTR,          MPJ_ROW_ICACHE_MISS,
                                    MPJ_ROW_DCACHE_RD_MISS, MPJ_ROW_DCACHE_WR_MISS,
                                    MPJ_ROW_L2_DRREQ,       MPJ_ROW_L2_DRHIT};
    size_t n;
    const struct mpj_event_info *const event = mpj_event_table(&n);
    json_t *const o = json_object();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        json_object_set(o, event[rows[i]].name, json_object_get(figures, event[rows[i]].name));
    return o;
}

static json_t *point_json(const struct run_explore *x, unsigned k)
{
    const struct run_tune_point *const p = &x->tune.point[k];
    json_t *const o = json_object();

    json_object_set_new(o, "at", tune_at_json(&x->tune, p));
    json_put_text(o, "state", states[p->state]);
    json_put_text(o, "reason", p->reason);
    json_put_real(o, "area_mm2", x->cost[k].area_mm2);
    if (run_explore_has(x, k)) {
        json_put_real(o, "time_s", x->cost[k].by[RUN_EXPLORE_TIME]);
        json_put_real(o, "energy_j", x->cost[k].by[RUN_EXPLORE_ENERGY]);
        json_object_set_new(o, "front", json_boolean(x->front[k]));
        json_object_set_new(o, "events", events_json(p->figures));
    }
    return o;
}

static json_t *found_json(const struct run_explore_found *f)
{
    json_t *const best = json_object();
    json_t *const small = json_object();

    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++) {
        json_object_set_new(best, run_explore_by_name(by), json_integer(f->best[by]));
        json_object_set_new(small, run_explore_by_name(by), json_integer(f->smallest[by]));
    }
    return json_pack("{soso}", "best", best, "smallest", small);
}

static json_t *varied_json(const struct run_explore_varied *v)
{
    json_t *const o = json_object();
    json_t *const change = json_object();

    json_put_text(o, "name", v->name);
    json_put_real(o, "value", v->value);
    json_put_real(o, "factor", v->factor);
    json_object_set_new(o, "rerun", json_boolean(v->rerun));
    for (unsigned by = 0; by < RUN_EXPLORE_BYS; by++)
        json_put_real(change, run_explore_by_name(by), v->change[by]);
    json_object_set_new(o, "change", change);
    json_object_set_new(o, "found", found_json(&v->found));
    json_put_count(o, "flips", v->flips);
    return o;
}

/* The content of the JSON. */
struct written {
    const struct run_explore *x;
    const struct conclusions *conclusions;
};

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct written *const w = what;
    const struct run_explore *const x = w->x;
    json_t *const root = json_object();
    json_t *const points = json_array();
    json_t *const varied = json_array();

    json_put_text(root, "schema", "mpjoule-explore/1");
    json_put_text(root, "calibration", x->calibration);
    json_put_real(root, "within", x->within);
    json_put_real(root, "vary", x->vary);
    for (unsigned k = 0; k < x->tune.points; k++)
        json_array_append_new(points, point_json(x, k));
    json_object_set_new(root, "points", points);
    json_object_set_new(root, "found", found_json(&x->found));
    for (unsigned i = 0; i < x->varieds; i++)
        json_array_append_new(varied, varied_json(&x->varied[i]));
    json_object_set_new(root, "assumptions", varied);
    if (w->conclusions != NULL)
        conclude_json(w->conclusions, root);
    return json_write(root, f, err);
}

static int put_csv(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_explore *const x = what;
    const struct run_tune *const t = &x->tune;

    for (unsigned a = 0; a < t->axes; a++) {
        mpj_csv_text(f, t->axis[a].name);
        fputc(',', f);
    }
    fputs("state,reason,front,area_mm2,time_s,energy_j\n", f);
    for (unsigned k = 0; k < t->points; k++) {
        const struct run_explore_cost *const c = &x->cost[k];
        for (unsigned a = 0; a < t->axes; a++) {
            mpj_csv_text(f, t->axis[a].value[t->point[k].index[a]]);
            fputc(',', f);
        }
        fprintf(f, "%s,", states[t->point[k].state]);
        mpj_csv_text(f, t->point[k].reason);
        fprintf(f, ",%d,%.12g,", x->front[k], c->area_mm2);
        if (run_explore_has(x, k))
            fprintf(f, "%.12g,%.12g", c->by[RUN_EXPLORE_TIME], c->by[RUN_EXPLORE_ENERGY]);
        else
            fputc(',', f);
        fputc('\n', f);
    }
    return fflush(f) != 0 ? mpj_err_errno(err, "cannot write the CSV") : MPJ_E_OK;
}

/* Writes a drawing of time and energy, a circle by the area. */
static int draw(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_explore *const x = what;
    struct chart c = {.x = "time, ms", .y = "energy, mJ; circles: area"};
    bool full;

    c.point = calloc(x->tune.points, sizeof(*c.point));
    full = c.point != NULL;
    for (unsigned k = 0; full && k < x->tune.points; k++) {
        struct chart_point *const p = &c.point[c.points];
        if (!run_explore_has(x, k))
            continue;
        *p = (struct chart_point){.x = x->cost[k].by[RUN_EXPLORE_TIME] * 1e3,
                                  .y = x->cost[k].by[RUN_EXPLORE_ENERGY] * 1e3,
                                  .size = x->cost[k].area_mm2,
                                  .front = x->front[k],
                                  .title = tune_point_title(&x->tune, k)};
        full = p->title != NULL;
        c.points++;
    }
    return chart_end(&c, full, f, err);
}

int explore_show(const struct run_explore *x, bool all, const struct explore_files *files,
                 struct mpj_err *err)
{
    const struct written w = {x, files->conclusions};
    const bool shown = !cli_quiet() && !cli_is_stdout(files->json) && !cli_is_stdout(files->csv) &&
                       !cli_is_stdout(files->svg);
    const bool any = x->found.best[0] >= 0;
    const char *const svg = any ? files->svg : NULL;
    int result;

    if (shown)
        text(x, all);
    if (shown && files->conclusions != NULL)
        conclude_text(files->conclusions, stdout);
    result = cli_output(MPJ_E_OK, cli_place(files->json, any), put_json, &w, err);
    result = cli_output(result, cli_place(files->csv, any), put_csv, x, err);
    if (files->conclusions != NULL)
        result = cli_output(result, svg, conclude_draw, files->conclusions, err);
    else
        result = cli_output(result, svg, draw, x, err);
    if (result != MPJ_E_OK)
        return result;
    if (any)
        return MPJ_E_OK;
    for (unsigned k = 0; k < x->tune.points; k++) {
        if (x->tune.point[k].state == RUN_TUNE_FAILED)
            return mpj_err_set(err, MPJ_E_PROGRAM,
                               "the program failed on every chip; the first: %s",
                               x->tune.point[k].reason != NULL ? x->tune.point[k].reason : "");
    }
    return mpj_err_set(err, MPJ_E_PROGRAM, "no chip was measured");
}
