/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares figures with their baseline: exceeded limits, culprits, and causes. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gate/judge.h"
#include "judge_int.h"

#define BOARD_SPREADS 2.0   /* of a board's figures: factor of their range that counts as noise */
#define BOARD_LEAST   0.002 /* ... and at least this part: a board never repeats itself exactly */

/* ---- limits ------------------------------------------------------------------------------ */

static bool is_item(enum mpj_gate_kind kind, const char *item)
{
    if (strcmp(item, "time") == 0 || strcmp(item, "energy") == 0)
        return true;
    if (strcmp(item, "calls") == 0)
        return kind != MPJ_GATE_WHOLE;
    return (kind == MPJ_GATE_WHOLE || kind == MPJ_GATE_FUNCTION) &&
           mpj_event_by_name(item, strlen(item)) != NULL;
}

const char *mpj_gate_kind_name(enum mpj_gate_kind kind)
{
    static const char *const name[MPJ_GATE_KINDS] = {"program", "function", "region", "mark"};

    return name[kind];
}

static bool same_name(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static int bad_limit(const char *item, const char *text, struct mpj_err *err)
{
    const char *const unit = mpj_blame_units(item)->name;

    return mpj_err_set(err, MPJ_E_USAGE,
                       "\"%.40s\" is not a limit of %s: \"1 %%\" above the baseline, or %s", text,
                       item,
                       strcmp(unit, "ns") == 0   ? "a time: \"12 ms\" (s, ms, us, ns)"
                       : strcmp(unit, "nJ") == 0 ? "an energy: \"3.5 mJ\" (J, mJ, uJ, nJ)"
                                                 : "a number");
}

int mpj_gate_limit_add(struct mpj_gate_limits *l, enum mpj_gate_kind kind, const char *name,
                       const char *item, const char *text, struct mpj_err *err)
{
    struct mpj_gate_limit limit = {.kind = kind, .percent = NAN, .most = NAN};
    const struct mpj_blame_unit *u = mpj_blame_units(item);
    struct mpj_gate_limit *more;
    char *end;
    const double v = strtod(text, &end);

    if (!is_item(kind, item))
        return mpj_err_set(err, MPJ_E_USAGE, "a %s has no \"%.40s\" to limit (time, energy%s%s)",
                           mpj_gate_kind_name(kind), item, kind != MPJ_GATE_WHOLE ? ", calls" : "",
                           kind <= MPJ_GATE_FUNCTION ? ", an event of `mpjoule help events`" : "");
    if (end == text || !isfinite(v) || v < 0)
        return bad_limit(item, text, err);
    end += strspn(end, " ");
    while (u->name != NULL && strcmp(u->name, end) != 0)
        u++;
    if (strcmp(end, "%") == 0)
        limit.percent = v;
    else if (u->name != NULL)
        limit.most = v * u->factor;
    else
        return bad_limit(item, text, err);
    for (unsigned i = 0; i < l->n; i++) {
        const struct mpj_gate_limit *const o = &l->at[i];
        if (o->kind == kind && same_name(o->name, name) && strcmp(o->item, item) == 0 &&
            isnan(o->percent) == isnan(limit.percent))
            return mpj_err_set(err, MPJ_E_USAGE, "contradictory limits of %s: %.40s and %.40s",
                               item, o->text, text);
    }
    more = realloc(l->at, (l->n + 1) * sizeof(*more));
    if (more == NULL)
        return mpj_err_nomem(err);
    l->at = more;
    limit.name = name != NULL ? strdup(name) : NULL;
    limit.item = strdup(item);
    limit.text = strdup(text);
    l->at[l->n++] = limit;
    return limit.item == NULL || limit.text == NULL || (name != NULL && limit.name == NULL)
               ? mpj_err_nomem(err)
               : MPJ_E_OK;
}

int mpj_gate_limits_check(const struct mpj_gate_limits *l, struct mpj_err *err)
{
    for (unsigned i = 0; i < l->n; i++) {
        for (unsigned k = 0; k < l->n; k++) {
            const struct mpj_gate_limit *const whole = &l->at[i];
            const struct mpj_gate_limit *const part = &l->at[k];
            /* functions are summed over several cores */
            if (whole->kind == MPJ_GATE_WHOLE && part->kind != MPJ_GATE_WHOLE &&
                strcmp(whole->item, part->item) == 0 && part->most > whole->most &&
                (part->kind != MPJ_GATE_FUNCTION || strcmp(part->item, "time") != 0))
                return mpj_err_set(err, MPJ_E_USAGE,
                                   "contradictory limits of %s: %s %.80s may take %.40s, but the "
                                   "whole program only %.40s",
                                   part->item, mpj_gate_kind_name(part->kind), part->name,
                                   part->text, whole->text);
        }
    }
    return MPJ_E_OK;
}

void mpj_gate_limits_free(struct mpj_gate_limits *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        free(l->at[i].name);
        free(l->at[i].item);
        free(l->at[i].text);
    }
    free(l->at);
    *l = (struct mpj_gate_limits){.n = 0};
}

/* ---- figures ----------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double mpj_gate_figure(const json_t *row, const char *item, double *low, double *high)
{
    const json_t *const v = json_object_get(row, item);
    double sorted[MPJ_GATE_SAMPLES_MAX];
    size_t n = json_array_size(v);

    if (n > MPJ_GATE_SAMPLES_MAX)
        n = MPJ_GATE_SAMPLES_MAX;
    for (size_t i = 0; i < n; i++)
        sorted[i] = json_number_value(json_array_get(v, i));
    if (n == 0) {
        sorted[0] = v != NULL ? json_number_value(v) : NAN;
        n = 1;
    }
    qsort(sorted, n, sizeof(sorted[0]), by_value);
    if (low != NULL)
        *low = sorted[0];
    if (high != NULL)
        *high = sorted[n - 1];
    return sorted[n / 2];
}

static const json_t *row_of(const json_t *sample, const struct mpj_gate_limit *l)
{
    static const char *const table[MPJ_GATE_KINDS] = {"figures", "functions", "regions", "marks"};
    const json_t *const t = json_object_get(sample, table[l->kind]);

    return l->kind == MPJ_GATE_WHOLE ? t : json_object_get(t, l->name);
}

/* ---- findings ---------------------------------------------------------------------------- */

static struct mpj_gate_finding *finding_add(struct mpj_gate_program *p)
{
    struct mpj_gate_finding *const more = realloc(p->finding, (p->findings + 1) * sizeof(*more));

    if (more == NULL)
        return NULL;
    p->finding = more;
    more[p->findings] =
        (struct mpj_gate_finding){.base = NAN, .now = NAN, .blame = {.base = NAN, .now = NAN}};
    return &more[p->findings++];
}

static void worsen(enum mpj_gate_verdict *v, enum mpj_gate_verdict by)
{
    if (by == MPJ_GATE_REGRESSION || *v == MPJ_GATE_OK)
        *v = by;
}

int mpj_gate_unknown(struct mpj_gate_program *p, struct mpj_err *err, const char *format, ...)
{
    struct mpj_gate_finding *const f = finding_add(p);
    va_list ap;
    int n;

    if (f == NULL)
        return mpj_err_nomem(err);
    f->verdict = MPJ_GATE_UNKNOWN;
    va_start(ap, format);
    n = vasprintf(&f->text, format, ap);
    va_end(ap);
    if (n < 0) {
        f->text = NULL;
        return mpj_err_nomem(err);
    }
    mpj_text_clean(f->text);
    worsen(&p->verdict, MPJ_GATE_UNKNOWN);
    return MPJ_E_OK;
}

/* Writes "time of function fft 1.2 ms -> 1.4 ms (+16.7 %), allowed 1 %; ...". */
static int say(struct mpj_gate_finding *f, const char *tools, struct mpj_err *err)
{
    const struct mpj_gate_limit *const l = f->limit;
    size_t size;
    FILE *const out = open_memstream(&f->text, &size);
    char a[40];
    char b[40];

    if (out == NULL)
        return mpj_err_nomem(err);
    mpj_blame_value(l->item, f->base, a, sizeof(a));
    mpj_blame_value(l->item, f->now, b, sizeof(b));
    fprintf(out, "%s", l->item);
    if (l->name != NULL)
        fprintf(out, " of %s %s", mpj_gate_kind_name(l->kind), l->name);
    if (isnan(f->base))
        fprintf(out, " is %s", b);
    else if (f->base > 0)
        fprintf(out, " %s -> %s (%+.2f %%)", a, b, 100 * (f->now - f->base) / f->base);
    else
        fprintf(out, " %s -> %s", a, b);
    fprintf(out, ", allowed %s", l->text);
    if (tools == NULL && f->blame.culprit != NULL) {
        fputs("; ", out);
        mpj_blame_say(&f->blame, l->kind == MPJ_GATE_FUNCTION || l->kind == MPJ_GATE_REGION, out);
    }
    if (tools != NULL)
        fprintf(out, ", but the baseline was measured with other tools (%s%s%s): re-baseline",
                tools, f->blame.through != NULL ? "; most of the change is in " : "",
                f->blame.through != NULL ? f->blame.through : "");
    if (fclose(out) != 0)
        return mpj_err_nomem(err);
    mpj_text_clean(f->text);
    return MPJ_E_OK;
}

/* ---- the judgement ----------------------------------------------------------------------- */

struct judging {
    struct mpj_gate_program *p;
    bool noisy;
    char *tools;  /* changes of the tools; NULL: unchanged */
    char *better; /* improvements; NULL: none */
    struct mpj_err *err;
};

unsigned gate_samples(const json_t *sample)
{
    const json_int_t n = json_integer_value(json_object_get(sample, "samples"));

    return n > 0 ? (unsigned)n : 1;
}

/* Compares a figure with its limit above the baseline. */
static enum gate_shift compare(const struct mpj_gate_program *p, const struct mpj_gate_limit *l,
                               bool noisy)
{
    const json_t *const base = row_of(p->base, l);
    const json_t *const now = row_of(p->now, l);
    double low;
    double high;
    double now_low;
    double now_high;
    const double a = mpj_gate_figure(base, l->item, &low, &high);
    const double b = mpj_gate_figure(now, l->item, &now_low, &now_high);
    const double spread = fmax(high - low, now_high - now_low);

    if (!noisy && (json_is_array(json_object_get(base, l->item)) ||
                   json_is_array(json_object_get(now, l->item))))
        return gate_layouts_compare(base, now, l->item, gate_samples(p->base), gate_samples(p->now),
                                    l->percent);
    if (b <= a * (1 + l->percent / 100))
        return GATE_NOT_WORSE;
    if (noisy && (b <= high || b <= a + fmax(BOARD_SPREADS * spread, BOARD_LEAST * a)))
        return GATE_NOT_WORSE;
    return GATE_WORSE;
}

bool mpj_gate_doubtful(const struct mpj_gate_program *p)
{
    bool doubt = false;

    for (unsigned i = 0; i < p->limits->n; i++) {
        const struct mpj_gate_limit *const l = &p->limits->at[i];
        const enum gate_shift shift = isnan(l->percent) ? GATE_NOT_WORSE : compare(p, l, false);
        if (shift == GATE_WORSE)
            return false;
        doubt = doubt || shift == GATE_UNDECIDED;
    }
    return doubt;
}

static void append(char **text, const char *more, const char *between)
{
    char *longer = NULL;

    if (asprintf(&longer, "%s%s%s", *text != NULL ? *text : "", *text != NULL ? between : "",
                 more) < 0)
        return;
    free(*text);
    *text = longer;
}

static void note_better(struct judging *j, const struct mpj_gate_limit *l, double a, double low,
                        double b)
{
    char text[128];

    if (isnan(l->percent) || b >= a * (1 - l->percent / 100) || b >= low || a <= 0)
        return;
    snprintf(text, sizeof(text), "%s%s%.60s %+.2f %%", l->item, l->name != NULL ? " of " : "",
             l->name != NULL ? l->name : "", 100 * (b - a) / a);
    append(&j->better, text, ", ");
}

/* Returns the label of a function of that name if other functions have it as well; NULL: it is the
 * only one. */
static const char *one_of_several(const json_t *sample, const char *name)
{
    const char *label;
    json_t *row;

    json_object_foreach(json_object_get(sample, gate_table_name[0]), label, row)
    {
        if (strcmp(mpj_blame_plain_name(label), name) == 0)
            return label;
    }
    return NULL;
}

static int blame(const struct mpj_gate_program *p, struct mpj_gate_finding *f, struct mpj_err *err)
{
    const struct mpj_gate_limit *const l = f->limit;

    if (l->kind == MPJ_GATE_FUNCTION || l->kind == MPJ_GATE_REGION)
        return mpj_blame_row(p->base, p->now, gate_table_name[l->kind - MPJ_GATE_FUNCTION], l->name,
                             l->item, &f->blame, err);
    return p->base == NULL
               ? MPJ_E_OK
               : mpj_blame_find(p->base, p->now, l->item, f->now - f->base, &f->blame, err);
}

static int judge_limit(struct judging *j, const struct mpj_gate_limit *l)
{
    struct mpj_gate_program *const p = j->p;
    const json_t *const now = row_of(p->now, l);
    const json_t *const base = row_of(p->base, l);
    const char *const kind = mpj_gate_kind_name(l->kind);
    double low;
    double a = mpj_gate_figure(base, l->item, &low, NULL);
    double b = mpj_gate_figure(now, l->item, NULL, NULL);
    struct mpj_gate_finding *f;
    enum gate_shift shift = GATE_NOT_WORSE;
    bool relative;

    if (now == NULL && l->kind == MPJ_GATE_FUNCTION && one_of_several(p->now, l->name) != NULL)
        return mpj_gate_unknown(p, j->err,
                                "several functions are called %s: limit one of them, as \"%s\"",
                                l->name, one_of_several(p->now, l->name));
    if (now == NULL)
        return mpj_gate_unknown(p, j->err, "no %s is called %s (renamed, inlined, or misspelt)",
                                kind, l->name);
    if (l->kind != MPJ_GATE_WHOLE && strcmp(l->item, "energy") != 0)
        b = isnan(b) ? 0 : b; /* zeros are not stored */
    if (isnan(b))
        return mpj_gate_unknown(p, j->err, "%s%s%s was not measured", l->item,
                                l->name != NULL ? " of " : "", l->name != NULL ? l->name : "");
    if (!isnan(l->percent) && p->base == NULL)
        return MPJ_E_OK; /* reported once for all limits */
    if (!isnan(l->percent) && base == NULL)
        return mpj_gate_unknown(p, j->err, "the %s %s is not in the baseline: re-baseline", kind,
                                l->name);
    if (!isnan(l->percent) && l->kind == MPJ_GATE_WHOLE && isnan(a))
        return mpj_gate_unknown(p, j->err, "%s is not in the baseline: re-baseline", l->item);
    a = base != NULL && isnan(a) ? 0 : a;
    if (!isnan(l->percent)) {
        shift = compare(p, l, j->noisy);
        note_better(j, l, a, low, b);
    }
    relative = shift == GATE_WORSE;
    if (!relative && !(b > l->most) && shift != GATE_NO_MEMORY)
        return MPJ_E_OK;
    f = finding_add(p);
    if (f == NULL || shift == GATE_NO_MEMORY)
        return mpj_err_nomem(j->err);
    f->limit = l;
    f->base = a;
    f->now = b;
    f->verdict = relative && j->tools != NULL ? MPJ_GATE_UNKNOWN : MPJ_GATE_REGRESSION;
    worsen(&p->verdict, f->verdict);
    if (blame(p, f, j->err) != MPJ_E_OK)
        return j->err->code;
    return say(f, f->verdict == MPJ_GATE_UNKNOWN ? j->tools : NULL, j->err);
}

static const char *label(const json_t *sample, const char *of, const char *name)
{
    return json_string_value(json_object_get(json_object_get(sample, of), name));
}

static bool changed(const struct mpj_gate_program *p, const char *of, const char *name)
{
    const char *const a = label(p->base, of, name);
    const char *const b = label(p->now, of, name);

    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/* Checks for differences that make the figures of two sides incomparable. */
static int compare_terms(struct judging *j, bool *comparable)
{
    static const struct {
        const char *of, *name, *what;
    } terms[] = {{"tools", "calibration", "the calibration"},
                 {"tools", "calibration_sha256", "a calibration of this name and content"},
                 {"tools", "target", "the target"},
                 {"tools", "quantum", "the quantum"},
                 {"program", "arguments", "the arguments"}};
    const unsigned a = gate_samples(j->p->base);
    const unsigned b = gate_samples(j->p->now);

    *comparable = false;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        if (changed(j->p, terms[i].of, terms[i].name))
            return mpj_gate_unknown(
                j->p, j->err,
                "the baseline was measured with %s %.60s, this with %.60s: re-baseline",
                terms[i].what, label(j->p->base, terms[i].of, terms[i].name),
                label(j->p->now, terms[i].of, terms[i].name));
    }
    if (j->noisy ? a != b : (a > 1) != (b > 1) || a < b)
        return mpj_gate_unknown(
            j->p, j->err,
            "the baseline is of %u run%s (layouts or repetitions), this of %u: re-baseline, or "
            "use the same number",
            a, a == 1 ? "" : "s", b);
    *comparable = true;
    return MPJ_E_OK;
}

/* Compares the tools; one of them has a text for its change, the others are listed by name. */
static void compare_tools(struct judging *j)
{
    static const char *const tools[] = {"mpjoule", "emulator_sha256", "runtime_sha256", "compiler"};

    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        char text[200];
        const size_t len = strcspn(tools[i], "_");
        if (!changed(j->p, "tools", tools[i]))
            continue;
        if (tools[i][len] == '_')
            snprintf(text, sizeof(text), "%.*s", (int)len, tools[i]);
        else
            snprintf(text, sizeof(text), "%s %.60s -> %.60s", tools[i],
                     label(j->p->base, "tools", tools[i]), label(j->p->now, "tools", tools[i]));
        append(&j->tools, text, ", ");
    }
}

static void note(struct judging *j)
{
    struct mpj_gate_program *const p = j->p;
    char *text = NULL;

    if (p->base == NULL)
        return;
    append(&p->note, changed(p, "program", "sha256") ? "the program changed" : "the same program",
           "; ");
    if (j->tools != NULL && asprintf(&text, "tools changed: %s", j->tools) >= 0) {
        append(&p->note, text, "; ");
        free(text);
    }
    if (j->better != NULL &&
        asprintf(&text, "better: %s (re-baseline to keep it)", j->better) >= 0) {
        append(&p->note, text, "; ");
        free(text);
    }
    if (p->note != NULL)
        mpj_text_clean(p->note); /* a baseline may contain any bytes */
}

int mpj_gate_judge(struct mpj_gate_program *p, bool noisy, struct mpj_err *err)
{
    struct judging j = {.p = p, .noisy = noisy, .err = err};
    bool comparable = true;
    bool relative = false;
    int result = MPJ_E_OK;

    if (p->now == NULL) /* the reason is already reported */
        return MPJ_E_OK;
    for (unsigned i = 0; i < p->limits->n; i++)
        relative = relative || !isnan(p->limits->at[i].percent);
    if (p->base == NULL && relative)
        result =
            mpj_gate_unknown(p, err, "not in the baseline: add it with `mpjoule gate --update`");
    if (p->base != NULL)
        result = compare_terms(&j, &comparable);
    if (p->base != NULL && comparable)
        compare_tools(&j);
    for (unsigned i = 0; result == MPJ_E_OK && comparable && i < p->limits->n; i++)
        result = judge_limit(&j, &p->limits->at[i]);
    if (comparable)
        note(&j);
    free(j.tools);
    free(j.better);
    return result;
}

void mpj_gate_conclude(struct mpj_gate_result *r)
{
    r->verdict = MPJ_GATE_OK;
    for (unsigned i = 0; i < r->programs; i++) {
        if (r->program[i].verdict != MPJ_GATE_OK)
            worsen(&r->verdict, r->program[i].verdict);
    }
}

void mpj_gate_program_free(struct mpj_gate_program *p)
{
    for (unsigned i = 0; i < p->findings; i++) {
        mpj_blame_free(&p->finding[i].blame);
        free(p->finding[i].text);
    }
    free(p->finding);
    free(p->name);
    free(p->note);
    free(p->file);
    json_decref(p->base);
    json_decref(p->now);
}
