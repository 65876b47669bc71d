/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seeds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/json.h"
#include "base/tempdir.h"
#include "cli.h"
#include "mpj_events.h"
#include "report/run.h"

enum figure { TIME, ENERGY, ADC, TRANSFERS, FIGURES };

static const struct {
    const char *key;   /* in the JSON */
    const char *title; /* of the table */
    double scale;
    int digits;
} figures[FIGURES] = {
    [TIME] = {"time_s", "time, ms", 1e3, 4},
    [ENERGY] = {"energy_uj", "energy, mJ", 1e-3, 4},
    [ADC] = {"adc_energy_uj", "energy by the ADC, mJ", 1e-3, 4},
    [TRANSFERS] = {"transfers", "lines between cores", 1, 1},
};

/* A run: number 0 is the command's own. */
struct one {
    uint64_t seed;
    int status;
    double value[FIGURES]; /* NAN: not known */
};

struct seeds {
    const struct cli_options *o;
    struct mpj_tempdir dir;
    struct one one[SEEDS_MAX];
    struct variant run[SEEDS_MAX];
    char name[SEEDS_MAX][32];
    char *json; /* of the first run; NULL: it has none */
    size_t json_size;
    bool all; /* the other runs have ended, too */
};

/* A figure of the runs that ended well. */
struct summary {
    unsigned n;                          /* that have the figure */
    double mean, deviation, least, most; /* NAN: not known */
};

/* ---- the runs ------------------------------------------------------------------------ */

/* Returns how many lines a core fetched from another one's cache; NAN: the run has no truth. */
static double transfers(const struct mpj_run *run)
{
    double sum = 0;

    for (unsigned i = 0; i < MPJ_CORES_MAX; i++) {
        const struct mpj_value *const v = &run->truth.chip[MPJ_ROW_SCU_C2C_CPU0 + i];
        if (!v->present)
            return NAN;
        sum += (double)v->value;
    }
    return sum;
}

static int read_one(struct one *r, const char *store, struct mpj_err *err)
{
    struct mpj_run *run;

    if (mpj_run_load(&run, store, err) != MPJ_E_OK)
        return err->code;
    if (run->complete)
        r->value[TIME] = run->time_s;
    if (run->have_truth) {
        r->value[ENERGY] = run->truth.energy_uj;
        r->value[TRANSFERS] = transfers(run);
    }
    if (run->have_adc)
        r->value[ADC] = run->processor.energy_uj;
    mpj_run_free(run);
    return MPJ_E_OK;
}

/* Executes the first run, and keeps its JSON; err is of that only. */
static int run_first(struct seeds *s, int (*run)(struct cli_options *o), struct mpj_err *err)
{
    struct cli_options first = *s->o;

    first.json_kept = open_memstream(&s->json, &s->json_size);
    if (first.json_kept == NULL)
        return mpj_err_nomem(err);
    s->one[0].status = run(&first);
    return fclose(first.json_kept) == 0 ? MPJ_E_OK : mpj_err_nomem(err);
}

static int run_others(struct seeds *s, variant_one *member, struct mpj_err *err)
{
    const unsigned n = s->o->seeds;
    int result = mpj_tempdir_make(&s->dir, err);

    for (unsigned i = 1; i < n && result == MPJ_E_OK; i++) {
        struct variant *const v = &s->run[i];
        snprintf(s->name[i], sizeof(s->name[i]), "seed %" PRIu64, s->one[i].seed);
        v->name = s->name[i];
        v->seed = s->one[i].seed;
        v->silent = true;
        if (asprintf(&v->store, "%s/%u.mpj", s->dir.path, i) < 0)
            result = mpj_err_nomem(err);
    }
    if (result == MPJ_E_OK)
        result = variants_run(s->o, s->run + 1, n - 1, false, member, err);
    for (unsigned i = 0; i < n && result == MPJ_E_OK; i++) {
        if (i > 0)
            s->one[i].status = s->run[i].status;
        if (s->one[i].status == 0)
            result = read_one(&s->one[i], i > 0 ? s->run[i].store : s->o->run.store, err);
    }
    return result;
}

/* ---- what came of them ----------------------------------------------------------------- */

/* Returns a run's value; NAN: it did not end well, or the value is not known. */
static double value(const struct seeds *s, unsigned i, enum figure f)
{
    return s->one[i].status == 0 ? s->one[i].value[f] : (double)NAN;
}

static unsigned ended(const struct seeds *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->o->seeds; i++)
        n += s->one[i].status == 0;
    return n;
}

/* Returns the summary of a figure; not known if a run that ended well lacks it. The deviation of
 * one run is not known. Sums are relative to the first value: equal ones have no deviation at all.
 */
static struct summary summary_of(const struct seeds *s, enum figure f)
{
    const double first = value(s, 0, f);
    struct summary out = {.least = INFINITY, .most = -INFINITY, .deviation = NAN};
    double sum = 0;
    double squares = 0;

    for (unsigned i = 0; i < s->o->seeds; i++) {
        const double v = value(s, i, f);
        if (isnan(v))
            continue;
        out.n++;
        sum += v - first;
        squares += (v - first) * (v - first);
        out.least = fmin(out.least, v);
        out.most = fmax(out.most, v);
    }
    if (out.n < ended(s))
        return (struct summary){.mean = NAN, .deviation = NAN, .least = NAN, .most = NAN};
    out.mean = first + sum / out.n;
    if (out.n > 1)
        out.deviation = sqrt(fmax(0, squares - sum * sum / out.n) / (out.n - 1));
    return out;
}

/* Prints a value of a figure, or a dash, in a column. */
static void put(double v, enum figure f)
{
    if (isnan(v))
        printf("  %12s", "-");
    else
        printf("  %12.*f", figures[f].digits, v * figures[f].scale);
}

static void show(const struct seeds *s)
{
    char title[64];

    snprintf(title, sizeof(title), "Seeds %" PRIu64 " to %" PRIu64, s->one[0].seed,
             s->one[s->o->seeds - 1].seed);
    printf("\n%-23s  %12s  %21s  %12s  %12s\n", title, "mean", "standard deviation", "least",
           "most");
    for (enum figure f = 0; f < FIGURES; f++) {
        const struct summary v = summary_of(s, f);
        if (f == ADC && v.n == 0)
            continue; /* a run took no sample: it was shorter than the period */
        printf(" %-22s", figures[f].title);
        put(v.mean, f);
        put(v.deviation, f);
        if (v.mean > 0 && v.deviation >= 0)
            printf(" %6.2f %%", 100 * v.deviation / v.mean);
        else
            printf(" %6s  ", "-");
        put(v.least, f);
        put(v.most, f);
        putchar('\n');
    }
}

static json_t *summary_json(const struct summary *v)
{
    json_t *const o = json_object();

    json_put_real(o, "mean", v->mean);
    if (!isnan(v->deviation))
        json_put_real(o, "standard_deviation", v->deviation);
    json_put_real(o, "least", v->least);
    json_put_real(o, "most", v->most);
    return o;
}

static json_t *seeds_json(const struct seeds *s)
{
    json_t *const o = json_object();
    json_t *const runs = json_array();

    for (enum figure f = 0; f < FIGURES; f++) {
        const struct summary v = summary_of(s, f);
        if (v.n > 0)
            json_object_set_new(o, figures[f].key, summary_json(&v));
    }
    for (unsigned i = 0; i < s->o->seeds; i++) {
        json_t *const run = json_object();
        json_put_count(run, "seed", s->one[i].seed);
        json_object_set_new(run, "exit_status", json_integer(s->one[i].status));
        for (enum figure f = 0; f < FIGURES; f++) {
            const double v = value(s, i, f);
            if (!isnan(v) && f == TRANSFERS)
                json_put_count(run, figures[f].key, (uint64_t)v);
            else if (!isnan(v))
                json_put_real(run, figures[f].key, v);
        }
        json_array_append_new(runs, run);
    }
    json_object_set_new(o, "runs", runs);
    return o;
}

/* Writes the JSON of the first run; with what was found of all, if it and the others have ended. */
static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct seeds *const s = what;
    json_t *const root = json_loadb(s->json, s->json_size, 0, NULL);

    if (root == NULL)
        return mpj_err_nomem(err);
    if (s->all)
        json_object_set_new(root, "seeds", seeds_json(s));
    return json_write(root, f, err);
}

/* Writes the JSON while the others are still to come, if it is a file that can be replaced once
 * more: a process that is killed leaves the JSON of its store. */
static int put_early(const struct seeds *s, struct mpj_err *err)
{
    const char *const path = s->o->json;
    struct stat st;

    return path == NULL || cli_is_stdout(path) || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
               ? MPJ_E_OK
               : cli_output(MPJ_E_OK, path, put_json, s, err);
}

/* Names the first run that failed, if its program ran at all; returns its status. */
static int failed(const struct seeds *s)
{
    const unsigned n = s->o->seeds;

    for (unsigned i = 0; i < n; i++) {
        if (s->one[i].status == 0)
            continue;
        if (i > 0)
            cli_note("seed %" PRIu64 ": exit status %d; %u of %u seeds failed. --seed %" PRIu64
                     " repeats this run",
                     s->one[i].seed, s->one[i].status, n - ended(s), n, s->one[i].seed);
        else if (s->json_size > 0)
            cli_note("seed %" PRIu64 ": exit status %d; no other seed was tried", s->one[i].seed,
                     s->one[i].status);
        return s->one[i].status;
    }
    return 0;
}

static void release(struct seeds *s)
{
    for (unsigned i = 1; i < s->o->seeds; i++)
        free(s->run[i].store);
    free(s->json);
    mpj_tempdir_remove(&s->dir);
}

int seeds_run(struct cli_options *o, variant_one *member, int (*run)(struct cli_options *o))
{
    static struct seeds s;
    struct mpj_err err;
    int result;

    s = (struct seeds){.o = o};
    for (unsigned i = 0; i < o->seeds; i++) {
        s.one[i] = (struct one){.seed = o->run.seed + i, .status = CLI_FAILURE};
        for (enum figure f = 0; f < FIGURES; f++)
            s.one[i].value[f] = NAN;
    }
    result = run_first(&s, run, &err);
    if (result == MPJ_E_OK && s.one[0].status == 0) {
        result = put_early(&s, &err);
        if (result == MPJ_E_OK)
            result = run_others(&s, member, &err);
        s.all = result == MPJ_E_OK;
    }
    if (s.all && !cli_quiet() && !cli_is_stdout(o->json))
        show(&s);
    if (s.json_size > 0) /* also if the others did not end: the first run's store is in its place */
        result = cli_output(result, o->json, put_json, &s, &err);
    if (result == MPJ_E_OK)
        result = failed(&s);
    else
        result = cli_fail(&err);
    release(&s);
    return result;
}
