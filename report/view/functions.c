/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of functions: the cost of each, self and with callees. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report_int.h"
#include "view/profile_text.h"

#define ROWS         20 /* default number of rows */
#define SUMMARY_ROWS 10
#define CELL         12
#define ERROR_CELL   10

/* Columns of a table: their items and units. */
struct columns {
    const struct mpj_profile *p;
    struct scale energy, time;
    int extra;         /* an item with a column of its own; MPJ_PROF_NONE: not used */
    bool errors;       /* standard errors are known */
    double all_energy; /* fJ of the run */
};

static double with_chip(const struct mpj_profile *p, int item)
{
    return item >= 0 ? (double)p->sum[item] + (double)p->chip[item] : 0.0;
}

static struct columns make_columns(const struct mpj_profile *p, struct mpj_prof_sort by)
{
    const bool extra = by.item >= 0 && by.item != p->energy && by.item != p->cycles;

    bool errors = false;

    for (unsigned i = 0; i < p->funcs; i++)
        errors |= p->func[i].has_error && p->cycles >= 0;
    return (struct columns){
        .p = p,
        .errors = errors,
        .energy = scale_energy(with_chip(p, p->energy)),
        .time = scale_time(p->cycles >= 0 ? (double)p->sum[p->cycles] : 0.0, p->clock_hz),
        .extra = extra           ? by.item
                 : p->cycles < 0 ? p->samples
                                 : MPJ_PROF_NONE,
        .all_energy = with_chip(p, p->energy),
    };
}

static void head(const struct columns *c, FILE *f)
{
    char text[40];

    fputs("  ", f);
    if (c->p->energy >= 0) {
        snprintf(text, sizeof(text), "self %s", c->energy.unit);
        fprintf(f, "%*s        ", CELL, text);
        snprintf(text, sizeof(text), "total %s", c->energy.unit);
        fprintf(f, "%*s        ", CELL, text);
    }
    if (c->p->cycles >= 0) {
        snprintf(text, sizeof(text), "self %s", c->time.unit);
        fprintf(f, "%*s", CELL, text);
        snprintf(text, sizeof(text), "total %s", c->time.unit);
        fprintf(f, "%*s", CELL, text);
    }
    if (c->extra >= 0) {
        const char *const unit = c->p->item[c->extra].unit;
        snprintf(text, sizeof(text), "self %.20s%s", c->p->item[c->extra].name,
                 strcmp(unit, "fJ") == 0 ? " (fJ)" : "");
        fprintf(f, "%*s", CELL + 10, text);
        snprintf(text, sizeof(text), "total %.20s", c->p->item[c->extra].name);
        fprintf(f, "%*s", CELL + 10, text);
    }
    if (c->errors)
        fprintf(f, "%*s", ERROR_CELL, "self +-");
    fprintf(f, "%*s  function\n", CELL, "calls");
}

static void energy_cell(const struct columns *c, const int64_t *v, FILE *f)
{
    double fj;

    if (c->p->energy < 0)
        return;
    if (v == NULL) {
        fprintf(f, "%*s%8s", CELL, "", "");
        return;
    }
    fj = (double)v[c->p->energy];
    fprintf(f, "%*.4f%6.1f %%", CELL, fj / c->energy.per,
            c->all_energy > 0 ? 100.0 * fj / c->all_energy : 0.0);
}

static void time_cell(const struct columns *c, const int64_t *v, FILE *f)
{
    if (c->p->cycles < 0)
        return;
    if (v == NULL)
        fprintf(f, "%*s", CELL, "");
    else
        fprintf(f, "%*.4f", CELL, (double)v[c->p->cycles] / c->time.per);
}

static void extra_cell(const struct columns *c, const int64_t *v, FILE *f)
{
    char text[TEXT_DIGITS] = "";

    if (c->extra < 0)
        return;
    if (v != NULL)
        text_digits(text, (uint64_t)v[c->extra]);
    fprintf(f, "%*s", CELL + 10, text);
}

/* Writes the standard error of a function's own cycles; NULL: an empty column. */
static void error_cell(const struct columns *c, const struct mpj_prof_row *r, FILE *f)
{
    char text[TEXT_DIGITS] = "";

    if (!c->errors)
        return;
    if (r != NULL && c->p->func[r->func].has_error)
        profile_error(c->p->func[r->func].self_error, (double)r->self[c->p->cycles], text);
    fprintf(f, "%*s", ERROR_CELL, text);
}

/* Writes the costs of a line; NULL: empty columns. */
static void line(const struct columns *c, const int64_t *self, const int64_t *total, FILE *f)
{
    fputs("  ", f);
    energy_cell(c, self, f);
    energy_cell(c, total, f);
    time_cell(c, self, f);
    time_cell(c, total, f);
    extra_cell(c, self, f);
    extra_cell(c, total, f);
}

static void function_line(const struct columns *c, const struct mpj_prof_row *r, FILE *f)
{
    const struct mpj_prof_func *const func = &c->p->func[r->func];
    char text[TEXT_DIGITS];
    char place[160];

    line(c, r->self, r->total, f);
    error_cell(c, r, f);
    profile_calls(c->p, r->calls, text);
    profile_place(func, place, sizeof(place));
    fprintf(f, "%*s  %s%s%s%s\n", CELL, text, func->name, profile_tag(func->kind),
            place[0] != '\0' ? "  " : "", place);
}

/* Writes the costs of no core, and the total. */
static int last_lines(const struct columns *c, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = c->p;
    int64_t *const all = calloc(p->items + 1, sizeof(*all));

    if (all == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < p->items; i++)
        all[i] = p->sum[i] + p->chip[i];
    if (profile_has_chip(p) || (c->extra >= 0 && p->chip[c->extra] > 0)) {
        fputs("  ", f);
        energy_cell(c, p->chip, f);
        energy_cell(c, NULL, f);
        time_cell(c, NULL, f);
        time_cell(c, NULL, f);
        extra_cell(c, c->extra >= 0 && p->chip[c->extra] > 0 ? p->chip : NULL, f);
        extra_cell(c, NULL, f);
        error_cell(c, NULL, f);
        fprintf(f, "%*s  " MPJ_PROF_CHIP ": what belongs to no core\n", CELL, "");
    }
    line(c, all, NULL, f);
    error_cell(c, NULL, f);
    fprintf(f, "%*s  all\n", CELL, "");
    profile_no_energy(p, f);
    free(all);
    return MPJ_E_OK;
}

/* Writes how far off the model's energy may be, where the functions' energy is the model's. */
static void interval_note(const struct mpj_run *run, FILE *f)
{
    const struct mpj_interval *const i = &run->model.interval;

    if (run->profile->source != MPJ_PROF_ENTRIES || run->profile->energy < 0 ||
        !run->model.present || !(i->level > 0) || !isfinite(i->share[MPJ_OF_FUNCTION]))
        return;
    fprintf(f,
            "  Energy +-: %g %% of unseen functions are within %.0f %% of what is above %.2f mW, "
            "and %.2f mW\n",
            i->level * 100, i->share[MPJ_OF_FUNCTION] * 100, i->constant_mw,
            i->share[MPJ_OF_FUNCTION] * i->least_mw);
}

static int put_table(const struct mpj_run *run, struct mpj_prof_sort by, unsigned top, FILE *f,
                     struct mpj_err *err)
{
    const struct mpj_profile *const p = run->profile;
    const struct columns c = make_columns(p, by);
    struct mpj_prof_table t;
    int result = mpj_profile_table(p, MPJ_BY_FUNC, &t, err);

    if (result != MPJ_E_OK) {
        mpj_profile_table_free(&t);
        return result;
    }
    mpj_profile_order(p, &t, by);
    fprintf(f, "\nFunctions, %s: %u%s, by %s%s%s\n", profile_origin(p->source), t.rows,
            p->filtered ? " that the filters leave" : "",
            by.total       ? "total "
            : by.item >= 0 ? "self "
                           : "",
            by.item < 0            ? "calls"
            : by.item == p->energy ? "energy"
            : by.item == p->cycles ? "time"
                                   : p->item[by.item].name,
            mpj_profile_note(p));
    head(&c, f);
    for (unsigned i = 0; i < t.rows && i < top; i++)
        function_line(&c, &t.row[i], f);
    if (t.rows > top) {
        int64_t *const rest = calloc(p->items + 1, sizeof(*rest));
        for (unsigned i = top; rest != NULL && i < t.rows; i++) {
            for (unsigned k = 0; k < p->items; k++)
                rest[k] += t.row[i].self[k];
        }
        line(&c, rest, NULL, f);
        error_cell(&c, NULL, f);
        fprintf(f, "%*s  %u more functions (--view functions --top 0 shows all)\n", CELL, "",
                t.rows - top);
        free(rest);
    }
    result = last_lines(&c, f, err);
    if (result == MPJ_E_OK) {
        interval_note(run, f);
        profile_thin(p, &t, f);
    }
    mpj_profile_table_free(&t);
    return result;
}

static int put_text(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct mpj_prof_sort by;

    if (mpj_profile_sort(r->run->profile, r->sort, &by, err) != MPJ_E_OK)
        return err->code;
    text_head(r->run, out);
    return put_table(r->run, by,
                     r->top < 0    ? ROWS
                     : r->top == 0 ? UINT32_MAX
                                   : (unsigned)r->top,
                     out, err);
}

int profile_summary(const struct mpj_run *run, FILE *f, struct mpj_err *err)
{
    struct mpj_prof_sort by;

    if (run->profile == NULL)
        return MPJ_E_OK;
    if (mpj_profile_sort(run->profile, NULL, &by, err) != MPJ_E_OK)
        return err->code;
    return put_table(run, by, SUMMARY_ROWS, f, err);
}

/* ---- CSV ----------------------------------------------------------------------------- */

/* Writes how exact a function's cycles are; rows by thread have no errors. The truth has none. */
static void csv_error(const struct mpj_profile *p, const struct mpj_prof_row *r, FILE *f)
{
    const struct mpj_prof_func *const func = r != NULL ? &p->func[r->func] : NULL;

    if (p->source == MPJ_PROF_TRUTH)
        return;
    if (func == NULL || !func->has_error || r->thread >= 0)
        fputs(",,,", f);
    else
        fprintf(f, ",%" PRIu64 ",%.0f,%.0f", func->records, func->self_error, func->total_error);
}

static void csv_rows(const struct mpj_profile *p, const struct mpj_prof_table *t, int top, FILE *f)
{
    for (unsigned i = 0; i < t->rows && (top <= 0 || i < (unsigned)top); i++) {
        const struct mpj_prof_row *const r = &t->row[i];
        const struct mpj_prof_func *const func = &p->func[r->func];
        mpj_csv_quoted(f, func->name);
        fputc(',', f);
        mpj_csv_quoted(f, func->file);
        fprintf(f, ",%d,%d,", func->line, (int)func->kind);
        if (r->thread >= 0)
            fprintf(f, "%" PRId64, r->thread);
        fprintf(f, ",%" PRIu64, r->calls);
        profile_csv_row(p, r->self, r->total, f);
        csv_error(p, r, f);
        fputc('\n', f);
    }
}

/* Writes the totals of all threads first, then function by function and thread; the chip; the
 * sum. */
static int put_csv(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    static const unsigned by[] = {MPJ_BY_FUNC, MPJ_BY_FUNC | MPJ_BY_THREAD};
    const struct mpj_profile *const p = r->run->profile;
    struct mpj_prof_sort order;
    int result = mpj_profile_sort(p, r->sort, &order, err);

    if (result != MPJ_E_OK)
        return result;
    fputs("function,file,line,kind,thread,calls", f);
    profile_csv_head(p, f);
    if (p->source != MPJ_PROF_TRUTH)
        fputs(",records,error_self_cycles,error_total_cycles", f);
    fputc('\n', f);
    for (unsigned i = 0; i < 2 && result == MPJ_E_OK; i++) {
        struct mpj_prof_table t;
        result = mpj_profile_table(p, by[i], &t, err);
        if (result == MPJ_E_OK) {
            mpj_profile_order(p, &t, order);
            csv_rows(p, &t, r->top, f);
        }
        mpj_profile_table_free(&t);
    }
    fputs("\"" MPJ_PROF_CHIP "\",\"\",0,,,", f);
    profile_csv_row(p, p->chip, NULL, f);
    csv_error(p, NULL, f);
    fputc('\n', f);
    return result;
}

const struct mpj_view view_functions = {"functions", MPJ_NEEDS_PROFILE, put_text, put_csv, NULL};
