/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conclude.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "chart.h"
#include "search/tune.h"

int conclude_begin(struct conclusions *s, struct mpj_err *err)
{
    return run_assumptions_find(&s->set, err);
}

void conclude_free(struct conclusions *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        free(s->at[i].what);
        for (unsigned m = 0; m < s->set.names; m++)
            free(s->at[i].by[m].says);
    }
    run_assumptions_free(&s->set);
    s->n = 0;
}

static struct conclusion *about(struct conclusions *s, const char *what, const char *unit)
{
    struct conclusion *c;

    for (unsigned i = 0; i < s->n; i++) {
        if (strcmp(s->at[i].what, what) == 0)
            return &s->at[i];
    }
    c = &s->at[s->n];
    if (s->n == CONCLUDE_MAX || (c->what = strdup(what)) == NULL)
        return NULL;
    mpj_text_clean(c->what); /* it is shown */
    c->unit = unit;
    for (unsigned m = 0; m < s->set.names; m++)
        c->by[m] = (struct conclude_by){.value = NAN, .worse = NAN};
    s->n++;
    return c;
}

void conclude_add(struct conclusions *s, unsigned member, const char *what, const char *unit,
                  char *says, double value, double worse)
{
    struct conclusion *const c = about(s, what, unit);

    if (c == NULL) {
        s->incomplete = true;
        free(says);
        return;
    }
    if (says != NULL)
        mpj_text_clean(says);
    free(c->by[member].says);
    c->by[member] = (struct conclude_by){.says = says, .value = value, .worse = worse};
}

void conclude_change(struct conclusions *s, unsigned member, const char *what, double change)
{
    const char *const says = isnan(change)                  ? NULL
                             : fabs(change) < CONCLUDE_SAME ? "no change"
                             : change < 0                   ? "less"
                                                            : "more";
    char *const copy = says != NULL ? strdup(says) : NULL;

    s->incomplete = s->incomplete || (says != NULL && copy == NULL);
    conclude_add(s, member, what, "%", copy, 100 * change, NAN);
}

void conclude_figure(struct conclusions *s, unsigned member, const char *what, const char *unit,
                     double value)
{
    char *const nothing = !isnan(value) ? strdup("") : NULL;

    s->incomplete = s->incomplete || (!isnan(value) && nothing == NULL);
    conclude_add(s, member, what, unit, nothing, value, NAN);
}

/* ---- what flips -------------------------------------------------------------------------- */

/* Returns the first member that concludes anything; -1: none does. */
static int first_of(const struct conclusions *s, const struct conclusion *c)
{
    for (unsigned m = 0; m < s->set.names; m++) {
        if (c->by[m].says != NULL)
            return (int)m;
    }
    return -1;
}

static bool same(const struct conclude_by *a, const struct conclude_by *b)
{
    return a->says != NULL && b->says != NULL && strcmp(a->says, b->says) == 0;
}

/* True if the member contradicts the first one. */
static bool against(const struct conclusions *s, const struct conclusion *c, unsigned member)
{
    const int first = first_of(s, c);
    const struct conclude_by *const b = &c->by[member];

    return first >= 0 && b->says != NULL && !same(b, &c->by[first]) &&
           !(b->worse <= CONCLUDE_SAME); /* NAN: not known to be as good */
}

bool conclude_flips(const struct conclusions *s, const struct conclusion *c)
{
    for (unsigned m = 0; m < s->set.names; m++) {
        if (against(s, c, m))
            return true;
    }
    return false;
}

/* Finds the least and the most value. False: no member has one. */
static bool range(const struct conclusions *s, const struct conclusion *c, double *least,
                  double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (unsigned m = 0; m < s->set.names; m++) {
        if (c->by[m].says == NULL || isnan(c->by[m].value))
            continue;
        *least = fmin(*least, c->by[m].value);
        *most = fmax(*most, c->by[m].value);
    }
    return *least <= *most;
}

/* ---- text -------------------------------------------------------------------------------- */

static void put_value(const struct conclusion *c, double v, FILE *f)
{
    if (strcmp(c->unit, "%") == 0)
        fprintf(f, "%+.2f", v);
    else
        fprintf(f, "%.6g", v);
}

static void put_range(const struct conclusions *s, const struct conclusion *c, FILE *f)
{
    double least;
    double most;

    if (!range(s, c, &least, &most))
        return;
    fputs("; ", f);
    put_value(c, least, f);
    if (most > least) {
        fputs(" to ", f);
        put_value(c, most, f);
    }
    fprintf(f, "%s%s", c->unit[0] != '\0' ? " " : "", c->unit);
}

/* Prints the calibrations that say what member `one` says, and how bad the first one's choice is
 * there. */
static void put_those(const struct conclusions *s, const struct conclusion *c, unsigned one,
                      FILE *f)
{
    const int first = first_of(s, c);
    const char *comma = " with ";
    double worst = NAN;

    for (unsigned m = 0; m < s->set.names; m++) {
        if (!same(&c->by[m], &c->by[one]))
            continue;
        fprintf(f, "%s%s", comma, s->set.name[m]);
        comma = ", ";
        worst = fmax(worst, c->by[m].worse); /* of two, fmax() takes the one that is a number */
    }
    if (!isnan(worst) && !same(&c->by[one], &c->by[first]))
        fprintf(f, ", where %s is %.2f %% worse", c->by[first].says, 100 * worst);
}

static void put_each(const struct conclusions *s, const struct conclusion *c, FILE *f)
{
    for (unsigned m = 0; m < s->set.names; m++) {
        bool before = c->by[m].says == NULL;
        for (unsigned i = 0; i < m; i++)
            before = before || same(&c->by[i], &c->by[m]);
        if (before)
            continue;
        fprintf(f, "\n    %s", c->by[m].says);
        put_those(s, c, m, f);
    }
}

static unsigned silent(const struct conclusions *s, const struct conclusion *c)
{
    unsigned n = 0;

    for (unsigned m = 0; m < s->set.names; m++)
        n += c->by[m].says == NULL;
    return n;
}

void conclude_text(const struct conclusions *s, FILE *f)
{
    fprintf(f, "\nConclusions under %u calibrations\n", s->set.names);
    for (unsigned i = 0; i < s->n; i++) {
        const struct conclusion *const c = &s->at[i];
        const int first = first_of(s, c);
        bool all = true;
        if (first < 0 || c->by[first].says[0] == '\0') /* a figure: the command has a table */
            continue;
        for (unsigned m = 0; m < s->set.names; m++)
            all = all && (c->by[m].says == NULL || same(&c->by[m], &c->by[first]));
        fprintf(f, "  %s: ", c->what);
        if (all)
            fprintf(f, "%s with all of them", c->by[first].says);
        else
            fputs(conclude_flips(s, c) ? "flips" : "holds within 0.5 %", f);
        put_range(s, c, f);
        if (!all)
            put_each(s, c, f);
        if (silent(s, c) > 0)
            fprintf(f, "\n    unknown with %u of them", silent(s, c));
        fputc('\n', f);
    }
    if (isinf(s->bound))
        fputs("  searched: how far a best is from the best of all is not known\n", f);
    else if (s->bound > 0)
        fprintf(
            f, "  searched: a best is at most %.2f %% above the best of all (confidence %.0f %%)\n",
            100 * s->bound, 100 * RUN_TUNE_CONFIDENCE);
    if (s->incomplete)
        fputs("  more than are shown\n", f);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *by_json(const struct conclusions *s, const struct conclusion *c, unsigned m)
{
    const struct conclude_by *const b = &c->by[m];
    json_t *const o = json_object();

    json_put_text(o, "calibration", s->set.name[m]);
    json_put_text(o, "says", b->says);
    json_put_real(o, "value", b->value);
    json_put_real(o, "worse", b->worse);
    return o;
}

void conclude_json(const struct conclusions *s, json_t *root)
{
    json_t *const names = json_array();
    json_t *const rows = json_array();

    for (unsigned m = 0; m < s->set.names; m++)
        json_array_append_new(names, json_string(s->set.name[m]));
    for (unsigned i = 0; i < s->n; i++) {
        const struct conclusion *const c = &s->at[i];
        json_t *const o = json_object();
        json_t *const by = json_array();
        json_put_text(o, "what", c->what);
        json_put_text(o, "unit", c->unit);
        json_object_set_new(o, "flips", json_boolean(conclude_flips(s, c)));
        for (unsigned m = 0; m < s->set.names; m++)
            json_array_append_new(by, by_json(s, c, m));
        json_object_set_new(o, "by", by);
        json_array_append_new(rows, o);
    }
    json_object_set_new(root, "conclusions",
                        json_pack("{so,so}", "calibrations", names, "rows", rows));
}

/* ---- drawing ----------------------------------------------------------------------------- */

#define LEFT   220 /* of the names of conclusions */
#define COLUMN 116
#define ROW    44
#define HEAD   40
#define LETTER 7.0 /* width, at the size of the text */

/* Prints a text, cut where its column ends, with the whole of it for the pointer. */
static void put_text(FILE *f, double x, double y, const char *style, const char *text, double room)
{
    const size_t most = (size_t)(room / LETTER);
    const bool cut = strlen(text) > most;
    char *const part = strndup(text, cut && most > 2 ? most - 2 : most);

    fprintf(f, "<text x=\"%.0f\" y=\"%.0f\"%s>", x, y, style);
    chart_escaped(f, part != NULL ? part : "");
    fputs(cut ? "..<title>" : "", f);
    if (cut) {
        chart_escaped(f, text);
        fputs("</title>", f);
    }
    fputs("</text>\n", f);
    free(part);
}

/* Prints the value as a bar from the middle of the cell for a change, from its left otherwise. */
static void put_bar(FILE *f, const struct conclusion *c, double v, double most, double x, double y)
{
    const bool change = strcmp(c->unit, "%") == 0;
    const double room = (change ? 0.5 : 1) * (COLUMN - 12);
    const double length = most > 0 ? fabs(v) / most * room : 0;
    const double from = x + 4 + (change ? room - (v < 0 ? length : 0) : 0);

    fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"4\" fill=\"#1f4e79\"/>\n", from,
            y + ROW - 9, length);
}

static void put_cell(FILE *f, const struct conclusions *s, const struct conclusion *c, unsigned m,
                     double y)
{
    const struct conclude_by *const b = &c->by[m];
    const double x = LEFT + (double)m * COLUMN;
    const int first = first_of(s, c);
    double least;
    double most;
    char text[64];

    fprintf(f, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\"/>\n",
            x + 1, y + 1, COLUMN - 2, ROW - 2,
            b->says == NULL                        ? "#f2f2f2"
            : against(s, c, m)                     ? "#f4b183"
            : first >= 0 && same(b, &c->by[first]) ? "#dce9f5"
                                                   : "#fbe5d6");
    put_text(f, x + 5, y + 15, "", b->says != NULL ? b->says : "unknown", COLUMN - 10);
    if (b->says == NULL || isnan(b->value) || !range(s, c, &least, &most))
        return;
    snprintf(text, sizeof(text), strcmp(c->unit, "%") == 0 ? "%+.2f %s" : "%.4g %s", b->value,
             c->unit);
    put_text(f, x + 5, y + 30, " font-size=\"11\" fill=\"#555\"", text, COLUMN - 10);
    put_bar(f, c, b->value, fmax(fabs(least), fabs(most)), x, y);
}

int conclude_draw(const void *what, FILE *f, struct mpj_err *err)
{
    const struct conclusions *const s = what;
    const int width = LEFT + (int)s->set.names * COLUMN + 10;
    const int height = HEAD + (int)s->n * ROW + 30;

    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    for (unsigned m = 0; m < s->set.names; m++)
        put_text(f, LEFT + (double)m * COLUMN + 5, HEAD - 12, " font-weight=\"bold\"",
                 s->set.name[m], COLUMN - 6);
    for (unsigned i = 0; i < s->n; i++) {
        const struct conclusion *const c = &s->at[i];
        const double y = HEAD + (double)i * ROW;
        put_text(f, 8, y + 18, "", c->what, LEFT - 12);
        if (conclude_flips(s, c))
            put_text(f, 8, y + 33, " font-size=\"11\" fill=\"#c55a11\"", "flips", LEFT - 12);
        for (unsigned m = 0; m < s->set.names; m++)
            put_cell(f, s, c, m, y);
    }
    fprintf(f,
            "<text x=\"8\" y=\"%d\" font-size=\"11\" fill=\"#555\">blue: as with %s; orange: "
            "contradicts it; light orange: differs by less than 0.5 %%</text>\n</svg>\n",
            height - 10, s->set.names > 0 ? s->set.name[0] : "");
    return fflush(f) != 0 ? mpj_err_errno(err, "cannot write the drawing") : MPJ_E_OK;
}
