/* SPDX-License-Identifier: GPL-2.0-or-later */
/* View "adapt": the numbers of threads that the controller chose, its predictions and the truth. */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "report/adapted.h"
#include "report_int.h"

#define ROWS 40 /* default number of executions */

static const char *const why[] = {"first", "test", "try", "chosen", "brief", "ordered"};

/* Totals of a region with one number of threads. */
struct tally {
    unsigned runs, sampled;
    double s, mw; /* sums; of power of those with samples */
};

static void name_of(const struct mpj_adapted_region *r, char *out, size_t size)
{
    if (r->function != NULL)
        snprintf(out, size, "%s", r->function);
    else
        snprintf(out, size, "0x%x", r->region);
}

static void one_region(const struct mpj_adapted *a, unsigned number, FILE *f)
{
    struct tally of[MPJ_CORES_MAX + 1U] = {{0}};
    char name[80];
    unsigned last = 0;
    unsigned changes = 0;
    unsigned tests = 0;

    for (size_t i = 0; i < a->runs; i++) {
        const struct mpj_adapted_run *const r = &a->run[i];
        struct tally *const t = &of[r->threads <= MPJ_CORES_MAX ? r->threads : 0U];

        if (r->number != number)
            continue;
        t->runs++;
        t->s += r->s;
        if (!isnan(r->mw)) {
            t->sampled++;
            t->mw += r->mw;
        }
        tests += r->why == MPJ_ADAPT_TEST || r->why == MPJ_ADAPT_TRY;
        changes += last != 0 && r->why >= MPJ_ADAPT_CHOSEN && r->threads != last;
        if (r->why >= MPJ_ADAPT_CHOSEN)
            last = r->threads;
    }
    name_of(&a->region[number], name, sizeof(name));
    fprintf(f, "  %-3u%-28.27s", number, name);
    if (last != 0)
        fprintf(f, "%7u", last);
    else
        fprintf(f, "%7s", "-");
    fprintf(f, "%8u%8u  ", tests, changes);
    for (unsigned n = 1; n <= MPJ_CORES_MAX; n++) {
        if (of[n].runs > 0)
            fprintf(f, " %u: %u x %.3f ms", n, of[n].runs, 1e3 * of[n].s / of[n].runs);
    }
    fputc('\n', f);
}

static void put_number(FILE *f, int width, int digits, double v)
{
    if (isnan(v))
        fprintf(f, "%*s", width, "-");
    else
        fprintf(f, "%*.*f", width, digits, v);
}

/* True if the run has the emulator's waveform. */
static bool has_truth(const struct mpj_adapted *a)
{
    for (size_t i = 0; i < a->runs; i++) {
        if (!isnan(a->run[i].true_mw))
            return true;
    }
    return false;
}

static int put_text(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const size_t rows = r->top < 0 ? ROWS : r->top == 0 ? SIZE_MAX : (size_t)r->top;
    struct mpj_adapted a;
    const int result = mpj_adapted_load(&a, r->store, 0, err);
    const bool truth = result == MPJ_E_OK && has_truth(&a);

    if (result == MPJ_E_OK)
        text_head(r->run, f);
    if (result == MPJ_E_OK && a.runs == 0)
        fputs("\nNothing was adapted: run the program with --env MPJ_ADAPT=ed2 (`mpjoule help "
              "run`).\n",
              f);
    if (result == MPJ_E_OK && a.runs > 0) {
        fputs("\nRegions: threads in the end, measured executions, changes of the decision\n", f);
        fprintf(f, "  %-31s%7s%8s%8s   executions by threads\n", "region", "threads", "tests",
                "changes");
        for (unsigned i = 0; i < a.regions; i++)
            one_region(&a, i, f);
        fprintf(f, "\nExecutions: predicted and measured%s\n", truth ? " and true" : "");
        fprintf(f, "  %12s  %-3s%-9s%8s%12s%12s%10s%10s%s\n", "ms", "", "why", "threads",
                "pred. ms", "ms", "pred. mW", "mW", truth ? "   true mW" : "");
    }
    for (size_t i = 0; result == MPJ_E_OK && i < a.runs && i < rows; i++) {
        const struct mpj_adapted_run *const e = &a.run[i];

        fprintf(f, "  %12.3f  %-3u%-9s%5u/%u ", 1e3 * e->time_s, e->number,
                why[e->why < 6U ? e->why : 0U], e->threads, e->most);
        put_number(f, 12, 3, 1e3 * e->believed_s);
        put_number(f, 12, 3, 1e3 * e->s);
        put_number(f, 10, 1, e->believed_mw);
        put_number(f, 10, 1, e->mw);
        if (truth)
            put_number(f, 10, 1, e->true_mw);
        fputc('\n', f);
    }
    if (result == MPJ_E_OK && a.runs > rows)
        fprintf(f, "  the first %zu of %zu (--top 0 shows all)\n", rows, a.runs);
    mpj_adapted_free(&a);
    return result;
}

static void csv_number(FILE *f, double v)
{
    fputc(',', f);
    if (!isnan(v))
        fprintf(f, "%.12g", v);
}

static int put_csv(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct mpj_adapted a;
    const int result = mpj_adapted_load(&a, r->store, 0, err);

    fputs("time_s,region,address,function,why,threads,most,s,believed_s,mw,believed_mw,samples,"
          "elapsed,cycles,event0,event1,true_mw\n",
          f);
    for (size_t i = 0; result == MPJ_E_OK && i < a.runs; i++) {
        const struct mpj_adapted_run *const e = &a.run[i];
        const char *const function = a.region[e->number].function;

        fprintf(f, "%.12g,%u,%u,", e->time_s, e->number, e->region);
        mpj_csv_quoted(f, function != NULL ? function : "");
        fprintf(f, ",%s,%u,%u,%.12g", why[e->why < 6U ? e->why : 0U], e->threads, e->most, e->s);
        csv_number(f, e->believed_s);
        csv_number(f, e->mw);
        csv_number(f, e->believed_mw);
        fprintf(f, ",%u,%.12g", e->samples, e->elapsed);
        csv_number(f, e->cycles);
        csv_number(f, e->event[0]);
        csv_number(f, e->event[1]);
        csv_number(f, e->true_mw);
        fputc('\n', f);
    }
    mpj_adapted_free(&a);
    return result;
}

static void put_real(json_t *o, const char *key, double v)
{
    if (!isnan(v))
        json_object_set_new(o, key, json_real(v));
}

static int put_json(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct mpj_adapted a;
    const int result = mpj_adapted_load(&a, r->store, 0, err);

    fputs("{\"schema\":\"mpjoule-adapt/1\",\"executions\":[", f);
    for (size_t i = 0; result == MPJ_E_OK && i < a.runs; i++) {
        const struct mpj_adapted_run *const e = &a.run[i];
        const char *const function = a.region[e->number].function;
        json_t *const o = json_object();

        put_real(o, "time_s", e->time_s);
        json_object_set_new(o, "region", json_integer(e->number));
        json_object_set_new(o, "address", json_integer(e->region));
        if (function != NULL)
            json_object_set_new(o, "function", json_string(function));
        json_object_set_new(o, "why", json_string(why[e->why < 6U ? e->why : 0U]));
        json_object_set_new(o, "threads", json_integer(e->threads));
        json_object_set_new(o, "most", json_integer(e->most));
        put_real(o, "s", e->s);
        put_real(o, "believed_s", e->believed_s);
        put_real(o, "mw", e->mw);
        put_real(o, "believed_mw", e->believed_mw);
        put_real(o, "true_mw", e->true_mw);
        put_real(o, "cycles", e->cycles);
        put_real(o, "event0", e->event[0]);
        put_real(o, "event1", e->event[1]);
        fputs(i > 0 ? ",\n" : "\n", f);
        json_dumpf(o, f, JSON_COMPACT | JSON_REAL_PRECISION(12));
        json_decref(o);
    }
    fputs("\n]}\n", f);
    mpj_adapted_free(&a);
    return result;
}

const struct mpj_view view_adapt = {"adapt", MPJ_NEEDS_MOMENTS, put_text, put_csv, put_json};
