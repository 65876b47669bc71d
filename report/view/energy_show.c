/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as text, CSV and JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "report/energy.h"
#include "report/report.h"

#define NAME_WIDTH 26
#define ROWS_MAX   40 /* phases in the table of the text */

static const char *const verdict_name[] = {"ok", "doubtful", "bad"};

static int written(FILE *f, const char *what, struct mpj_err *err)
{
    if (fflush(f) != 0 || ferror(f))
        return mpj_err_errno(err, "cannot write the %s", what);
    return MPJ_E_OK;
}

static const char *name_of(const struct mpj_energy_phase *p)
{
    return p->name != NULL ? p->name : "(before the first mark)";
}

static double seconds(const struct mpj_energy *e, const struct mpj_energy_phase *p)
{
    return (double)(p->end - p->begin) / e->time_hz;
}

/* ---- text ------------------------------------------------------------------------- */

/* Phases of the same name. */
struct group {
    const struct mpj_energy_phase *first;
    const char *name;
    unsigned times;
    double time_s;
    double energy_uj[MPJ_RAILS];
};

static void group_row(FILE *f, const struct group *g, double all_uj)
{
    const double mw = g->time_s > 0 ? g->energy_uj[0] / g->time_s / 1e3 : 0.0;

    fprintf(f, "  %-*.*s%8u%14.6f s%11.2f mW%14.4f mJ%8.2f %%\n", NAME_WIDTH, NAME_WIDTH, g->name,
            g->times, g->time_s, mw, g->energy_uj[0] / 1e3,
            all_uj > 0 ? 100.0 * g->energy_uj[0] / all_uj : 0.0);
}

struct entry {
    const struct mpj_energy_phase *p;
};

static int by_name(const void *x, const void *y)
{
    const struct entry *const a = x;
    const struct entry *const b = y;
    const int order = strcmp(name_of(a->p), name_of(b->p));

    return order != 0 ? order : (a->p > b->p) - (a->p < b->p);
}

static int by_first(const void *x, const void *y)
{
    const struct group *const a = x;
    const struct group *const b = y;

    return (a->first > b->first) - (a->first < b->first);
}

/* Builds groups in the order of their first phase. */
static unsigned make_groups(const struct mpj_energy *e, struct group *g)
{
    struct entry *const list = calloc(e->phases, sizeof(*list));
    unsigned n = 0;

    if (list == NULL)
        return 0;
    for (unsigned i = 0; i < e->phases; i++)
        list[i].p = &e->phase[i];
    qsort(list, e->phases, sizeof(*list), by_name);
    for (unsigned i = 0; i < e->phases; i++) {
        if (n == 0 || strcmp(g[n - 1].name, name_of(list[i].p)) != 0)
            g[n++] = (struct group){.name = name_of(list[i].p), .first = list[i].p};
        g[n - 1].times++;
        g[n - 1].time_s += seconds(e, list[i].p);
        for (unsigned k = 0; k < MPJ_RAILS; k++)
            g[n - 1].energy_uj[k] += list[i].p->rail[k].energy_uj;
    }
    qsort(g, n, sizeof(*g), by_first);
    free(list);
    return n;
}

static void phases_text(const struct mpj_energy *e, FILE *f)
{
    struct group *const g = e->phases > 0 ? calloc(e->phases, sizeof(*g)) : NULL;
    struct group rest = {.name = "(other names)"};
    unsigned n;

    if (g == NULL)
        return;
    n = make_groups(e, g);
    fprintf(f, "\nBetween marks%*s%8s%16s%14s%17.16s%10s\n", NAME_WIDTH - 11, "", "times", "time",
            "power", e->supplies.count > 0 ? e->supplies.of[0].name : "", "share");
    for (unsigned i = 0; i < n; i++) {
        if (i < ROWS_MAX) {
            group_row(f, &g[i], e->rail[0].energy_uj);
            continue;
        }
        rest.times += g[i].times;
        rest.time_s += g[i].time_s;
        rest.energy_uj[0] += g[i].energy_uj[0];
    }
    if (rest.times > 0)
        group_row(f, &rest, e->rail[0].energy_uj);
    free(g);
}

int mpj_energy_text(const struct mpj_energy *e, FILE *f, struct mpj_err *err)
{
    char title[TILE_NAME_SIZE];

    fprintf(f, "Recorded on  %s%s", e->target != NULL ? e->target : "(unknown)",
            e->target != NULL && strcmp(e->target, "sim") == 0
                ? ": the modelled chip, in modelled time"
                : "");
    if (e->calibration != NULL)
        fprintf(f, ", calibration %s", e->calibration);
    fprintf(f, "\nProgram      %s", e->program != NULL ? e->program : "(unknown)");
    if (e->arguments != NULL && e->arguments[0] != '\0')
        fprintf(f, " %s", e->arguments);
    if (e->firmware_sha256 != NULL)
        fprintf(f, "  (sha256 %.12s)", e->firmware_sha256);
    fprintf(f, "\nTime         %.6f s, %" PRIu64 " samples, one every %g ms\n", e->time_s,
            e->samples, e->period_s * 1e3);
    if (e->samples > 0)
        fprintf(f, "\n  %-10s%13s%13s%13s%17s%26s\n", "", "voltage", "current", "power", "energy",
                "least and most power");
    for (unsigned k = 0; k < e->supplies.count && e->samples > 0; k++) {
        const struct mpj_rail *const r = &e->rail[k];
        mpj_supply_title(&e->supplies.of[k], title);
        fprintf(f, "  %-10s%11.4f V%10.2f mA%10.2f mW%14.4f mJ%11.2f to %8.2f mW\n", title,
                r->v_avg_uv / 1e6, r->i_avg_ua / 1e3,
                e->time_s > 0 ? r->energy_uj / e->time_s / 1e3 : 0.0, r->energy_uj / 1e3,
                e->power_min_uw[k] / 1e3, e->power_max_uw[k] / 1e3);
    }
    phases_text(e, f);
    fprintf(f, "\nPlausibility\n");
    for (unsigned i = 0; i < e->checks; i++)
        fprintf(f, "  %-9s %-8s  %s\n", e->check[i].name, verdict_name[e->check[i].verdict],
                e->check[i].text);
    return written(f, "energies", err);
}

/* ---- JSON ------------------------------------------------------------------------- */

static void put_rails(json_t *o, const struct mpj_supplies *of,
                      const struct mpj_rail rail[MPJ_RAILS], double time_s)
{
    for (unsigned k = 0; k < of->count; k++) {
        json_t *const r = json_object();
        json_put_real(r, "v_avg_uv", rail[k].v_avg_uv);
        json_put_real(r, "i_avg_ua", rail[k].i_avg_ua);
        json_put_real(r, "p_avg_uw", time_s > 0 ? rail[k].energy_uj / time_s : 0.0);
        json_put_real(r, "energy_uj", rail[k].energy_uj);
        json_object_set_new(o, of->of[k].name, r);
    }
}

static json_t *phase_json(const struct mpj_energy *e, const struct mpj_energy_phase *p)
{
    json_t *const o = json_object();

    json_put_text(o, "mark", p->name);
    if (p->name != NULL) {
        json_object_set_new(o, "value", json_integer(p->value));
        json_put_text(o, "from", p->by_host ? "host" : "program");
    }
    json_put_real(o, "begin_s", (double)(p->begin - e->begin) / e->time_hz);
    json_put_real(o, "time_s", seconds(e, p));
    json_put_count(o, "samples", p->samples);
    put_rails(o, &e->supplies, p->rail, seconds(e, p));
    return o;
}

static json_t *checks_json(const struct mpj_energy *e)
{
    json_t *const list = json_array();

    for (unsigned i = 0; i < e->checks; i++) {
        json_t *const o = json_object();
        json_put_text(o, "check", e->check[i].name);
        json_put_text(o, "verdict", verdict_name[e->check[i].verdict]);
        json_put_text(o, "text", e->check[i].text);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *head_json(const struct mpj_energy *e)
{
    json_t *const root = json_object();

    json_put_text(root, "schema", "mpjoule-energy/1");
    json_put_text(root, "target", e->target);
    json_put_text(root, "program", e->program);
    json_put_text(root, "arguments", e->arguments);
    json_put_text(root, "firmware_sha256", e->firmware_sha256);
    json_put_text(root, "calibration", e->calibration);
    json_put_real(root, "time_s", e->time_s);
    if (e->planned_s > 0)
        json_put_real(root, "planned_s", e->planned_s);
    json_put_real(root, "sample_s", e->period_s);
    json_put_count(root, "samples", e->samples);
    json_put_count(root, "lost", e->lost);
    json_object_set_new(root, "complete", json_boolean(e->closed && e->outcome == MPJ_E_OK));
    if (e->samples > 0)
        put_rails(root, &e->supplies, e->rail, e->time_s);
    return root;
}

int mpj_energy_json(const struct mpj_energy *e, FILE *f, struct mpj_err *err)
{
    struct json_out doc;

    json_out_begin(&doc, f);
    json_out_members(&doc, head_json(e));
    json_out_open(&doc, "phases", '[');
    for (unsigned i = 0; i < e->phases; i++)
        json_out_put(&doc, NULL, phase_json(e, &e->phase[i]));
    json_out_close(&doc);
    json_out_put(&doc, "checks", checks_json(e));
    return json_out_end(&doc, err);
}

/* ---- CSV -------------------------------------------------------------------------- */

static void rails_csv(FILE *f, const struct mpj_supplies *of, const struct mpj_rail rail[MPJ_RAILS],
                      double time_s)
{
    for (unsigned k = 0; k < of->count; k++)
        fprintf(f, ",%.12g,%.12g,%.12g,%.12g", rail[k].v_avg_uv, rail[k].i_avg_ua,
                time_s > 0 ? rail[k].energy_uj / time_s : 0.0, rail[k].energy_uj);
    fputc('\n', f);
}

int mpj_energy_csv(const struct mpj_energy *e, FILE *f, struct mpj_err *err)
{
    fputs("mark,value,from,begin_s,time_s,samples", f);
    for (unsigned k = 0; k < e->supplies.count; k++) {
        const char *const name = e->supplies.of[k].name;
        fprintf(f, ",%s_v_avg_uv,%s_i_avg_ua,%s_p_avg_uw,%s_energy_uj", name, name, name, name);
    }
    fputc('\n', f);
    for (unsigned i = 0; i < e->phases; i++) {
        const struct mpj_energy_phase *const p = &e->phase[i];
        mpj_csv_quoted(f, name_of(p));
        fprintf(f, ",%" PRId64 ",%s,%.12g,%.12g,%" PRIu64, p->value,
                p->name == NULL ? ""
                : p->by_host    ? "host"
                                : "program",
                (double)(p->begin - e->begin) / e->time_hz, seconds(e, p), p->samples);
        rails_csv(f, &e->supplies, p->rail, seconds(e, p));
    }
    fprintf(f, "\"(all)\",0,,0,%.12g,%" PRIu64, e->time_s, e->samples);
    rails_csv(f, &e->supplies, e->rail, e->time_s);
    return written(f, "energies", err);
}

/* ---- samples ---------------------------------------------------------------------- */

struct samples {
    FILE *f;
    bool json, any;
};

static int sample_csv(const struct samples *s, const struct mpj_energy_sample *a)
{
    fprintf(s->f, "%" PRIu64 ",%.9f", a->index, a->time_s);
    for (unsigned k = 0; k < a->supplies->count; k++)
        fprintf(s->f, ",%.12g,%.12g,%.12g", a->v_uv[k], a->i_ua[k], a->power_uw[k]);
    fputc(',', s->f);
    if (a->phase != NULL)
        mpj_csv_quoted(s->f, a->phase);
    return fputc('\n', s->f) == EOF;
}

static int sample_json(struct samples *s, const struct mpj_energy_sample *a)
{
    fprintf(s->f, "%s\n  [%" PRIu64 ",%.9f", s->any ? "," : "", a->index, a->time_s);
    for (unsigned k = 0; k < a->supplies->count; k++)
        fprintf(s->f, ",%.12g,%.12g,%.12g", a->v_uv[k], a->i_ua[k], a->power_uw[k]);
    if (a->phase != NULL) {
        json_t *const text = json_string(a->phase);
        fputc(',', s->f);
        if (text == NULL || json_dumpf(text, s->f, JSON_ENCODE_ANY) != 0)
            fputs("null", s->f); /* bytes that are not text */
        json_decref(text);
    } else {
        fputs(",null", s->f);
    }
    s->any = true;
    return fputc(']', s->f) == EOF;
}

static int on_sample(void *ctx, const struct mpj_energy_sample *a, struct mpj_err *err)
{
    struct samples *const s = ctx;

    if ((s->json ? sample_json(s, a) : sample_csv(s, a)) != 0)
        return mpj_err_errno(err, "cannot write the samples");
    return MPJ_E_OK;
}

int mpj_energy_samples(const char *path, bool json, FILE *f, struct mpj_err *err)
{
    struct samples s = {.f = f, .json = json};
    struct mpj_energy *e = NULL;
    int result;

    if (json)
        fputs("{\"schema\": \"mpjoule-samples/1\",\n \"columns\": [\"index\", \"time_s\", "
              "\"processor_uv\", \"processor_ua\", \"processor_uw\", \"pll_uv\", \"pll_ua\", "
              "\"pll_uw\", \"mark\"],\n \"samples\": [",
              f);
    else
        fputs("index,time_s,processor_uv,processor_ua,processor_uw,pll_uv,pll_ua,pll_uw,mark\n", f);
    result = mpj_energy_load(&e, path, on_sample, &s, err);
    if (result == MPJ_E_OK && json)
        fprintf(f, "\n ],\n \"time_s\": %.12g, \"lost\": %" PRIu64 ", \"complete\": %s}\n",
                e->time_s, e->lost, e->closed && e->outcome == MPJ_E_OK ? "true" : "false");
    mpj_energy_free(e);
    return result == MPJ_E_OK ? written(f, "samples", err) : result;
}

/* ---- views ------------------------------------------------------------------------ */

static int put_energy(const struct mpj_report *r, FILE *out, struct mpj_err *err,
                      int (*put)(const struct mpj_energy *e, FILE *f, struct mpj_err *err))
{
    struct mpj_energy *e = NULL;
    int result = mpj_energy_load(&e, r->file, NULL, NULL, err);

    if (result == MPJ_E_OK)
        result = put(e, out, err);
    mpj_energy_free(e);
    return result;
}

static int energy_text(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return put_energy(r, out, err, mpj_energy_text);
}

static int energy_csv(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return put_energy(r, out, err, mpj_energy_csv);
}

static int energy_json(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return put_energy(r, out, err, mpj_energy_json);
}

static int samples_csv(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return mpj_energy_samples(r->file, false, out, err);
}

static int samples_json(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return mpj_energy_samples(r->file, true, out, err);
}

const struct mpj_view view_energy = {"energy", MPJ_NEEDS_FILE, energy_text, energy_csv,
                                     energy_json};
const struct mpj_view view_samples = {"samples", MPJ_NEEDS_FILE, NULL, samples_csv, samples_json};
