/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outcome of a gate: the table of formats, and the human-readable ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate_out.h"

/* Writers in the order of listings. */
#define GATE_WRITERS(X)                                                                            \
    X(table)                                                                                       \
    X(markdown)                                                                                    \
    X(junit)                                                                                       \
    X(sarif)                                                                                       \
    X(codequality)                                                                                 \
    X(openmetrics)                                                                                 \
    X(json)

#define ROW(name)  {#name, gate_##name},
#define NAME(name) ", " #name

static const struct mpj_gate_writer writers[] = {GATE_WRITERS(ROW)};

const char *mpj_gate_writer_names(void)
{
    static const char names[] = GATE_WRITERS(NAME);

    return names + 2;
}

const struct mpj_gate_writer *mpj_gate_writer_find(const char *name, struct mpj_err *err)
{
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        if (strcmp(writers[i].name, name) == 0)
            return &writers[i];
    }
    mpj_err_set(err, MPJ_E_USAGE, "unknown format \"%.80s\" (known: %s)", name,
                mpj_gate_writer_names());
    return NULL;
}

/* ---- cells ------------------------------------------------------------------------------- */

const char *gate_verdict_word(enum mpj_gate_verdict v)
{
    static const char *const word[] = {"ok", "regression", "unknown"};

    return word[v];
}

static double figure(const json_t *sample, const char *item, double *low, double *high)
{
    return mpj_gate_figure(json_object_get(sample, "figures"), item, low, high);
}

void gate_cells(const struct mpj_gate_program *p, const char *item, struct gate_cells *out)
{
    double low;
    double high;
    const double a = figure(p->base, item, NULL, NULL);
    const double b = figure(p->now, item, &low, &high);

    memset(out, 0, sizeof(*out));
    if (!isnan(a))
        mpj_blame_value(item, a, out->base, sizeof(out->base));
    if (!isnan(b))
        mpj_blame_value(item, b, out->now, sizeof(out->now));
    if (!isnan(a) && !isnan(b) && a > 0)
        snprintf(out->change, sizeof(out->change), "%+.2f %%", 100 * (b - a) / a);
    if (b > 0 && high > low)
        snprintf(out->range, sizeof(out->range), "%+.2f..%+.2f %%", 100 * (low - b) / b,
                 100 * (high - b) / b);
}

const char *gate_item(const struct mpj_gate_program *p, unsigned i)
{
    static const char *const always[] = {"time", "energy"};
    unsigned n = 2;

    if (i < n)
        return always[i];
    for (unsigned k = 0; k < p->limits->n; k++) {
        const struct mpj_gate_limit *const l = &p->limits->at[k];
        bool seen = l->kind != MPJ_GATE_WHOLE || strcmp(l->item, "time") == 0 ||
                    strcmp(l->item, "energy") == 0;
        for (unsigned j = 0; j < k; j++)
            seen = seen || (p->limits->at[j].kind == MPJ_GATE_WHOLE &&
                            strcmp(p->limits->at[j].item, l->item) == 0);
        if (!seen && n++ == i)
            return l->item;
    }
    return NULL;
}

void gate_rule(const struct mpj_gate_finding *f, char *text, size_t size)
{
    if (f->limit == NULL)
        snprintf(text, size, "unknown");
    else if (f->limit->kind == MPJ_GATE_WHOLE)
        snprintf(text, size, "%s", f->limit->item);
    else
        snprintf(text, size, "%s-%s", mpj_gate_kind_name(f->limit->kind), f->limit->item);
}

void gate_place(const struct mpj_gate_program *p, const struct mpj_gate_finding *f,
                const char **file, int *line)
{
    const bool known = f->blame.file != NULL && f->blame.line > 0;

    *file = known ? f->blame.file : p->file;
    *line = known ? f->blame.line : 1;
    while (strncmp(*file, "./", 2) == 0)
        *file += 2;
}

/* ---- human-readable formats -------------------------------------------------------------- */

static void put_counts(const struct mpj_gate_result *r, FILE *f)
{
    unsigned n[3] = {0};

    for (unsigned i = 0; i < r->programs; i++)
        n[r->program[i].verdict]++;
    fprintf(f, "%u program%s: %u ok, %u regression%s, %u not judged\n", r->programs,
            r->programs == 1 ? "" : "s", n[MPJ_GATE_OK], n[MPJ_GATE_REGRESSION],
            n[MPJ_GATE_REGRESSION] == 1 ? "" : "s", n[MPJ_GATE_UNKNOWN]);
}

/* Writes a line of a table: item k of a program. */
typedef void put_row(const struct mpj_gate_program *p, unsigned k, const struct gate_cells *c,
                     FILE *f);

static void put_rows(const struct mpj_gate_result *r, put_row *put, FILE *f)
{
    for (unsigned i = 0; i < r->programs; i++) {
        struct gate_cells c;
        for (unsigned k = 0; gate_item(&r->program[i], k) != NULL; k++) {
            gate_cells(&r->program[i], gate_item(&r->program[i], k), &c);
            put(&r->program[i], k, &c, f);
        }
    }
}

typedef void put_finding(const struct mpj_gate_program *p, const struct mpj_gate_finding *it,
                         FILE *f);

static void put_findings(const struct mpj_gate_result *r, put_finding *put, FILE *f)
{
    for (unsigned i = 0; i < r->programs; i++) {
        for (unsigned k = 0; k < r->program[i].findings; k++)
            put(&r->program[i], &r->program[i].finding[k], f);
    }
}

/* ---- the table --------------------------------------------------------------------------- */

static void table_row(const struct mpj_gate_program *p, unsigned k, const struct gate_cells *c,
                      FILE *f)
{
    fprintf(f, "%-20s %-16s %16s %16s %10s%s%s\n", k == 0 ? p->name : "", gate_item(p, k), c->base,
            c->now, c->change, c->range[0] != '\0' ? "   " : "", c->range);
    if (p->note != NULL && gate_item(p, k + 1) == NULL)
        fprintf(f, "%-20s %s\n", "", p->note);
}

static void table_finding(const struct mpj_gate_program *p, const struct mpj_gate_finding *it,
                          FILE *f)
{
    fprintf(f, "%s %s: %s\n", it->verdict == MPJ_GATE_REGRESSION ? "REGRESSION" : "NOT JUDGED",
            p->name, it->text);
}

int gate_table(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    unsigned findings = 0;

    (void)err;
    fprintf(f, "%-20s %-16s %16s %16s %10s%s\n", "program", "figure", "baseline", "now", "change",
            r->layouts    ? "   over layouts"
            : r->repeated ? "   over repetitions"
                          : "");
    put_rows(r, table_row, f);
    for (unsigned i = 0; i < r->programs; i++)
        findings += r->program[i].findings;
    if (findings > 0)
        fputc('\n', f);
    put_findings(r, table_finding, f);
    put_counts(r, f);
    return MPJ_E_OK;
}

/* ---- Markdown ---------------------------------------------------------------------------- */

/* Writes a program's text, escaped: it must not become markup. */
static void put_plain(const char *text, FILE *f)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_{}[]#|~!@", *text) != NULL)
            fputc('\\', f);
        if (strchr("&<", *text) != NULL)
            fprintf(f, "&#%d;", *text);
        else
            fputc(*text, f);
    }
}

static void markdown_finding(const struct mpj_gate_program *p, const struct mpj_gate_finding *it,
                             FILE *f)
{
    fprintf(f, "- **%s** ", it->verdict == MPJ_GATE_REGRESSION ? "worse" : "not judged");
    put_plain(p->name, f);
    fputs(": ", f);
    put_plain(it->text, f);
    fputc('\n', f);
}

static void markdown_row(const struct mpj_gate_program *p, unsigned k, const struct gate_cells *c,
                         FILE *f)
{
    fputs("| ", f);
    put_plain(p->name, f);
    fputs(" | ", f);
    put_plain(gate_item(p, k), f);
    fprintf(f, " | %s | %s | %s | ", c->base, c->now, c->change);
    if (k == 0 && p->note != NULL)
        put_plain(p->note, f);
    fputs(" |\n", f);
}

int gate_markdown(const struct mpj_gate_result *r, FILE *f, struct mpj_err *err)
{
    static const char *const title[] = {"Energy and time: within limits",
                                        "Energy and time: worse than allowed",
                                        "Energy and time: could not be judged"};

    (void)err;
    fprintf(f, "### %s\n\n", title[r->verdict]);
    put_findings(r, markdown_finding, f);
    fputs("\n| program | figure | baseline | now | change | |\n|---|---|--:|--:|--:|---|\n", f);
    put_rows(r, markdown_row, f);
    fputc('\n', f);
    put_counts(r, f);
    return MPJ_E_OK;
}
