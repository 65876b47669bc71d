/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two runs as text: first the differences of their labels, then the figures. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"
#include "view/diff_out.h"
#include "view/profile_text.h"

#define ROWS   10 /* default number of rows */
#define CELL   13
#define SHA256 12 /* digits that are shown */

/* True for a sum of 64 digits, which is shortened. */
static bool is_hash(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static void put_value(const struct mpj_diff_label *l, int side, FILE *f)
{
    fprintf(f, "%.*s", l->value[side] != NULL && is_hash(l->value[side]) ? SHA256 : INT32_MAX,
            l->value[side] == NULL      ? "(not recorded)"
            : l->value[side][0] == '\0' ? "(none)"
                                        : l->value[side]);
}

static void put_labels(const struct mpj_diff_report *r, bool tool, const char *head, FILE *f)
{
    const struct mpj_diff *const d = r->diff;
    bool any = false;

    fprintf(f, "%-14s", head);
    for (unsigned i = 0; i < d->labels; i++) {
        const struct mpj_diff_label *const l = &d->label[i];
        const bool missing = (l->value[0] == NULL) != (l->value[1] == NULL);
        if (l->tool != tool || (!l->differs && !missing))
            continue;
        fprintf(f, "%s%s ", any ? ", " : "", l->name);
        put_value(l, 0, f);
        fputs(" -> ", f);
        put_value(l, 1, f);
        any = true;
    }
    fputs(any ? "\n" : "the same\n", f);
}

static void put_head(const struct mpj_diff_report *r, FILE *f)
{
    for (int s = 0; s < 2; s++) {
        fprintf(f, "%-14s%s: %s", s == 0 ? "A" : "B", r->file[s],
                r->run[s]->program != NULL ? r->run[s]->program : "(unknown)");
        if (r->run[s]->arguments != NULL && r->run[s]->arguments[0] != '\0')
            fprintf(f, " %s", r->run[s]->arguments);
        fprintf(f, ", %s\n",
                r->run[s]->calibration != NULL ? r->run[s]->calibration : "not calibrated");
    }
    put_labels(r, false, "Program", f);
    put_labels(r, true, "Tools", f);
    for (int s = 0; s < 2; s++) {
        if (r->run[s]->outcome != MPJ_E_OK || !r->run[s]->complete)
            fprintf(f, "%c %s: the missing part counts as an improvement\n", s == 0 ? 'A' : 'B',
                    r->run[s]->partial ? "is partial, it did not finish" : "did not finish");
    }
}

static void put_percent(double a, double b, FILE *f)
{
    if (a != 0)
        fprintf(f, "%+10.3f %%", 100 * (b - a) / a);
    else
        fprintf(f, "%12s", b != 0 ? "new" : "");
}

/* Returns the prefix of a means of measuring. */
static const char *known_by(const char *means)
{
    return means[0] != '\0' ? "by " : "not known";
}

static void put_totals(const struct mpj_diff *d, FILE *f)
{
    const struct scale e = scale_energy(fmax(d->energy_uj[0], d->energy_uj[1]) * 1e9);

    if (isfinite(d->time_s[0]) && isfinite(d->time_s[1])) {
        fprintf(f, "%-14s%.6f s -> %.6f s, %+.6f s", "Time", d->time_s[0], d->time_s[1],
                d->time_s[1] - d->time_s[0]);
        put_percent(d->time_s[0], d->time_s[1], f);
        fputc('\n', f);
    }
    if (d->measured[0] == '\0') {
        if (d->means[0][0] != '\0' && strcmp(d->means[0], d->means[1]) == 0)
            fprintf(f, "%-14snot compared: measured by other channels of %s\n", "Energy",
                    d->means[0]);
        else if (d->means[0][0] != '\0' || d->means[1][0] != '\0')
            fprintf(f, "%-14snot compared: A's is %s%s, B's %s%s\n", "Energy",
                    known_by(d->means[0]), d->means[0], known_by(d->means[1]), d->means[1]);
        return;
    }
    fprintf(f, "%-14s%.4f %s -> %.4f %s, %+.4f %s", "Energy", d->energy_uj[0] * 1e9 / e.per, e.unit,
            d->energy_uj[1] * 1e9 / e.per, e.unit,
            (d->energy_uj[1] - d->energy_uj[0]) * 1e9 / e.per, e.unit);
    put_percent(d->energy_uj[0], d->energy_uj[1], f);
    fprintf(f, "  by %s\n", d->measured);
}

static void put_cell(double v, FILE *f)
{
    if (isfinite(v))
        fprintf(f, "%*.4f", CELL, v);
    else
        fprintf(f, "%*s", CELL, "-");
}

/* Writes a figure of both, its change and that in per cent; "-" for an unknown one (NAN). */
static void put_cells(double a, double b, double per, FILE *f)
{
    if (isfinite(b - a)) {
        fprintf(f, "%+*.4f", CELL, (b - a) / per);
        put_percent(a, b, f);
    } else {
        fprintf(f, "%*s%12s", CELL, "-", "");
    }
    put_cell(a / per, f);
    put_cell(b / per, f);
}

/* Returns the figure by which rows are sorted; NAN: unknown. */
static double figure(const struct mpj_diff *d, const struct mpj_diff_row *r, int side)
{
    return d->order == d->energy && r->unknown[side] ? NAN : (double)r->cost[side][d->order];
}

static double seconds(const struct mpj_diff *d, const struct mpj_diff_row *r, int side)
{
    const double clock = d->clock_hz[side];

    return clock > 0 ? (double)r->cost[side][d->cycles] / clock : 0;
}

static void put_row(const struct mpj_diff *d, enum mpj_diff_by by, const struct mpj_diff_row *r,
                    struct scale s, FILE *f)
{
    const int cause = mpj_diff_cause(d, r);

    fputs("  ", f);
    put_cells(figure(d, r, 0), figure(d, r, 1), s.per, f);
    if (d->cycles >= 0 && d->order != d->cycles)
        fprintf(f, "%+*.4f", CELL, (seconds(d, r, 1) - seconds(d, r, 0)) * 1e3);
    if (d->first_cause < d->items)
        fprintf(f, "  %-14s", cause >= 0 ? d->item[cause].name + strlen(DIFF_CAUSE) : "");
    fprintf(f, "  %s", r->name);
    if (by == MPJ_DIFF_FUNCTIONS && r->file != NULL)
        fprintf(f, "  %s:%d", r->file, r->line);
    if (!r->in[0] || !r->in[1])
        fprintf(f, "  [only in %c]", r->in[0] ? 'A' : 'B');
    fputc('\n', f);
}

static void put_table(const struct mpj_diff_report *r, enum mpj_diff_by by, FILE *f)
{
    const struct mpj_diff *const d = r->diff;
    const struct mpj_diff_table *const t = &d->table[by];
    const unsigned top = r->top < 0 ? ROWS : r->top == 0 ? UINT32_MAX : (unsigned)r->top;
    const char *const name = mpj_diff_table_name(by);
    unsigned changed = 0;
    struct scale s = {d->item[d->order].unit, 1};
    double most = 0;

    for (unsigned i = 0; i < t->rows; i++) {
        const double v = (double)(t->row[i].cost[1][d->order] - t->row[i].cost[0][d->order]);
        changed += v != 0;
        most = fmax(most, fabs(v));
    }
    if (t->rows == 0)
        return;
    if (strcmp(s.unit, "fJ") == 0)
        s = scale_energy(most);
    else if (d->order == d->cycles && d->clock_hz[0] > 0)
        s = (struct scale){"ms", d->clock_hz[0] / 1e3};
    fprintf(f, "\n%c%s, by %s: %u, of which %u changed\n", name[0] - 'a' + 'A', name + 1,
            d->order == d->energy ? "energy" : d->item[d->order].name, t->rows, changed);
    if (changed == 0)
        return;
    fprintf(f, "  %*s%12s%*s%*s", CELL, "change", "", CELL, "A", CELL, "B");
    if (d->cycles >= 0 && d->order != d->cycles)
        fprintf(f, "%*s", CELL, "change ms");
    if (d->first_cause < d->items)
        fprintf(f, "  %-14s", "cause");
    fprintf(f, "  %s, %s\n", name, s.unit);
    for (unsigned i = 0; i < changed && i < top; i++)
        put_row(d, by, &t->row[i], s, f);
    if (changed > top)
        fprintf(f, "  %u more changed (--top 0 shows all)\n", changed - top);
}

struct item_change {
    unsigned item;
    double weight; /* relative change, or energy */
};

static int by_weight(const void *a, const void *b)
{
    const struct item_change *const x = a;
    const struct item_change *const y = b;

    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1)
                                  : (x->item > y->item) - (x->item < y->item);
}

/* Writes causes by energy, events by their relative change. */
static int put_items(const struct mpj_diff_report *r, bool causes, FILE *f, struct mpj_err *err)
{
    const struct mpj_diff *const d = r->diff;
    struct item_change *const list = calloc(d->items + 1, sizeof(*list));
    unsigned n = 0;

    if (list == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < d->items; i++) {
        const double a = (double)d->all[0][i];
        const double b = (double)d->all[1][i];
        if (causes != (i >= d->first_cause) || (int)i == d->energy || a == b ||
            (!causes && strcmp(d->item[i].unit, "fJ") == 0))
            continue;
        list[n++] = (struct item_change){i, causes ? fabs(b - a) : fabs(b - a) / fmax(1, a)};
    }
    qsort(list, n, sizeof(*list), by_weight);
    if (n > 0 && causes)
        fputs("\nCauses of energy, uJ\n", f);
    else if (n > 0)
        fputs("\nEvents of all cores and of the chip\n", f);
    for (unsigned i = 0; i < n; i++) {
        const unsigned item = list[i].item;
        const double a = (double)d->all[0][item];
        const double b = (double)d->all[1][item];
        if (causes) {
            fputs("  ", f);
            put_cells(a, b, 1e9, f);
            fprintf(f, "  %s\n", d->item[item].name + strlen(DIFF_CAUSE));
        } else {
            fprintf(f, "  %+16.0f", b - a);
            put_percent(a, b, f);
            fprintf(f, "%18.0f%18.0f  %s\n", a, b, d->item[item].name);
        }
    }
    free(list);
    return MPJ_E_OK;
}

int diff_text(const struct mpj_diff_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_diff *const d = r->diff;
    int result;

    put_head(r, f);
    put_totals(d, f);
    if (d->source >= 0)
        fprintf(f, "%-14s%s\n", "Profile", profile_origin((enum mpj_prof_source)d->source));
    else
        fprintf(f, "%-14snot of both: record functions with `mpjoule run --functions`\n",
                "Profile");
    diff_why_text(d, f);
    for (unsigned by = 0; by < MPJ_DIFF_TABLES; by++)
        put_table(r, (enum mpj_diff_by)by, f);
    result = put_items(r, true, f, err);
    return result == MPJ_E_OK ? put_items(r, false, f, err) : result;
}
