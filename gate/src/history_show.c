/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trends: as text, as JSON, and as a page of one file without scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "gate/history.h"
#include "judge_int.h"

#define SHA_SHOWN 12
#define WIDTH     640.0 /* of a chart */
#define HEIGHT    120.0

static void value_text(unsigned item, double v, char *text, size_t size)
{
    if (isnan(v))
        snprintf(text, size, "unknown");
    else
        mpj_blame_value(mpj_trend_item(item), v, text, size);
}

/* Writes "time 1.2 ms -> 1.3 ms (+8.8 %) since 0123456789ab, in 10 steps of at most +0.85 %". */
static void put_total(const struct mpj_trend *t, unsigned item, FILE *f)
{
    const struct mpj_trend_total *const all = &t->total[item];
    char a[40];
    char b[40];

    value_text(item, t->step[all->best].value[item], a, sizeof(a));
    value_text(item, t->step[t->steps - 1].value[item], b, sizeof(b));
    fprintf(f, "%s %s -> %s (%+.2f %%) since %.*s, in %u step%s of at most %+.2f %%",
            mpj_trend_item(item), a, b, 100 * all->change, SHA_SHOWN, t->step[all->best].sha,
            t->steps - 1 - all->best, t->steps - 1 - all->best == 1 ? "" : "s", 100 * all->largest);
}

/* ---- text -------------------------------------------------------------------------------- */

static void text_step(const struct mpj_trend_step *s, FILE *f)
{
    for (unsigned i = 0; i < MPJ_TREND_ITEMS; i++) {
        char value[40];
        char change[24] = "";
        value_text(i, s->value[i], value, sizeof(value));
        if (!isnan(s->change[i]))
            snprintf(change, sizeof(change), "%+.2f %%", 100 * s->change[i]);
        fprintf(f, "  %-*.*s  %-6s %14s %10s%s%s\n", SHA_SHOWN, SHA_SHOWN, i == 0 ? s->sha : "",
                mpj_trend_item(i), value, change, s->why[i] != NULL ? "  " : "",
                s->why[i] != NULL ? s->why[i] : "");
    }
    if (s->tools != NULL)
        fprintf(f, "  %-*s  tools changed: %s\n", SHA_SHOWN, "", s->tools);
}

static int history_text(const struct mpj_history *h, FILE *f, struct mpj_err *err)
{
    (void)err;
    for (unsigned i = 0; i < h->trends; i++) {
        const struct mpj_trend *const t = &h->trend[i];
        fprintf(f, "%s%s\n", i > 0 ? "\n" : "", t->name);
        for (unsigned k = 0; k < t->steps; k++)
            text_step(&t->step[k], f);
        for (unsigned item = 0; item < MPJ_TREND_ITEMS; item++) {
            if (!t->total[item].beyond)
                continue;
            fputs("  WORSE ", f);
            put_total(t, item, f);
            fprintf(f, ", allowed %g %%%s%s\n", h->limit, t->total[item].why != NULL ? "; " : "",
                    t->total[item].why != NULL ? t->total[item].why : "");
        }
    }
    return MPJ_E_OK;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_real(json_t *o, const char *key, double v)
{
    if (isfinite(v))
        json_object_set_new(o, key, json_real(v));
}

static json_t *json_step(const struct mpj_trend_step *s)
{
    json_t *const o = json_object();

    json_put_text(o, "commit", s->sha);
    json_put_text(o, "tools", s->tools);
    for (unsigned i = 0; i < MPJ_TREND_ITEMS; i++) {
        json_t *const one = json_object();
        put_real(one, "value", s->value[i]);
        put_real(one, "change", s->change[i]);
        json_put_text(one, "why", s->why[i]);
        json_object_set_new(o, mpj_trend_item(i), one);
    }
    return o;
}

static json_t *json_total(const struct mpj_trend *t, unsigned item)
{
    const struct mpj_trend_total *const all = &t->total[item];
    json_t *const o = json_object();

    json_put_text(o, "since", t->step[all->best].sha);
    put_real(o, "change", all->change);
    put_real(o, "largest_step", all->largest);
    json_object_set_new(o, "beyond", json_boolean(all->beyond));
    json_put_text(o, "why", all->why);
    return o;
}

static int history_json(const struct mpj_history *h, FILE *f, struct mpj_err *err)
{
    json_t *const programs = json_object();

    for (unsigned i = 0; i < h->trends; i++) {
        const struct mpj_trend *const t = &h->trend[i];
        json_t *const o = json_object();
        json_t *const steps = json_array();
        for (unsigned k = 0; k < t->steps; k++)
            json_array_append_new(steps, json_step(&t->step[k]));
        json_object_set_new(o, "steps", steps);
        for (unsigned item = 0; item < MPJ_TREND_ITEMS; item++)
            json_object_set_new(o, mpj_trend_item(item), json_total(t, item));
        json_object_set_new(programs, t->name, o);
    }
    return json_write(json_pack("{s:s,s:f,s:b,s:o}", "schema", MPJ_TREND, "limit_percent", h->limit,
                                "beyond", h->beyond, "programs", programs),
                      f, err);
}

/* ---- the page ---------------------------------------------------------------------------- */

static void put_escaped(const char *text, FILE *f)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '>')
            fputs("&gt;", f);
        else
            fputc(*text, f);
    }
}

/* Draws the values as a line from 0, one position for each commit. */
static void put_chart(const struct mpj_trend *t, unsigned item, FILE *f)
{
    double most = 0;

    for (unsigned k = 0; k < t->steps; k++)
        most = fmax(most, t->step[k].value[item]);
    fprintf(f, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s\"><polyline points=\"",
            WIDTH, HEIGHT, mpj_trend_item(item));
    for (unsigned k = 0; k < t->steps && most > 0; k++) {
        const double v = t->step[k].value[item];
        if (isfinite(v))
            fprintf(f, "%.1f,%.1f ", t->steps > 1 ? WIDTH * k / (t->steps - 1) : 0,
                    HEIGHT - 4 - (HEIGHT - 8) * v / most);
    }
    fputs("\"/></svg>\n", f);
}

static void page_step(const struct mpj_trend_step *s, unsigned item, FILE *f)
{
    char value[40];

    value_text(item, s->value[item], value, sizeof(value));
    fprintf(f, "<tr><td><code>%.*s</code></td><td class=\"n\">%s</td><td class=\"n\">", SHA_SHOWN,
            s->sha, value);
    if (!isnan(s->change[item]))
        fprintf(f, "%+.2f&nbsp;%%", 100 * s->change[item]);
    fputs("</td><td>", f);
    if (s->why[item] != NULL)
        put_escaped(s->why[item], f);
    if (s->tools != NULL) {
        fputs(s->why[item] != NULL ? "; tools changed: " : "tools changed: ", f);
        put_escaped(s->tools, f);
    }
    fputs("</td></tr>\n", f);
}

static void page_trend(const struct mpj_history *h, const struct mpj_trend *t, unsigned item,
                       FILE *f)
{
    const struct mpj_trend_total *const all = &t->total[item];

    fprintf(f, "<h3>%s</h3>\n", item == 0 ? "Time" : "Energy");
    put_chart(t, item, f);
    if (all->beyond) {
        fputs("<p class=\"worse\">Worse: ", f);
        put_total(t, item, f);
        fprintf(f, ", allowed %g&nbsp;%%. ", h->limit);
        if (all->why != NULL)
            put_escaped(all->why, f);
        fputs("</p>\n", f);
    }
    fputs("<table><tr><th>Commit</th><th>Median</th><th>Change</th><th>Culprit</th></tr>\n", f);
    for (unsigned k = 0; k < t->steps; k++)
        page_step(&t->step[k], item, f);
    fputs("</table>\n", f);
}

static int history_html(const struct mpj_history *h, FILE *f, struct mpj_err *err)
{
    static const char head[] =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>History</title><style>\n"
        ":root{color-scheme:light dark}body{font:15px sans-serif;margin:1em auto;max-width:60em;"
        "padding:0 1em}\nsvg{width:100%;max-width:640px;border-bottom:1px solid gray}\n"
        "polyline{fill:none;stroke:currentColor;stroke-width:2}\n"
        "table{border-collapse:collapse;display:block;overflow-x:auto}\n"
        "td,th{padding:.2em .6em;text-align:left}.n{text-align:right;white-space:nowrap}\n"
        ".worse{border-left:.3em solid #c33;padding-left:.6em}\n"
        "</style></head><body>\n<h1>History</h1>\n";

    (void)err;
    fputs(head, f);
    for (unsigned i = 0; i < h->trends; i++) {
        fputs("<h2>", f);
        put_escaped(h->trend[i].name, f);
        fputs("</h2>\n", f);
        for (unsigned item = 0; item < MPJ_TREND_ITEMS; item++)
            page_trend(h, &h->trend[i], item, f);
    }
    fputs("</body></html>\n", f);
    return MPJ_E_OK;
}

mpj_history_put *mpj_history_format(const char *name)
{
    static const struct {
        const char *name;
        mpj_history_put *put;
    } known[] = {{"text", history_text}, {"json", history_json}, {"html", history_html}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0)
            return known[i].put;
    }
    return NULL;
}
