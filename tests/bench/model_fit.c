/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long models take: all subsets up to 8 of 30 events over 200 programs, a whole fit by each
 * method, and the prediction for a run with four threads.
 * usage: model-fit [--most S | --check]
 * Exit status 1 when the subsets take longer (default 10 s); --check: whatever they take, but when
 * they are not the best ones.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/model.h"

#define PROGRAMS 200U
#define EVENTS   30U
#define SUBSET   8U

static uint64_t state = 1;

/* splitmix64, as a number from 0 to 1 */
static double uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Events as they come: each a mix of a few causes, so that many are alike. */
static void row(double *x, unsigned n)
{
    double cause[10];

    for (unsigned c = 0; c < 10; c++)
        cause[c] = uniform() * uniform();
    for (unsigned j = 0; j < n; j++)
        x[j] = cause[j % 10] + 0.5 * cause[(j * 7 + 3) % 10] + 0.2 * uniform();
}

static double x[PROGRAMS * EVENTS];
static double y[PROGRAMS];
static struct mpj_subset best[SUBSET];

static double subsets(void)
{
    struct mpj_err err;
    double begin;

    for (unsigned i = 0; i < PROGRAMS; i++) {
        row(&x[(size_t)i * EVENTS], EVENTS);
        y[i] = 500 + uniform();
        for (unsigned j = 0; j < EVENTS; j++)
            y[i] += 40.0 / (1 + j) * x[i * EVENTS + j];
    }
    begin = now_s();
    if (mpj_regress_subsets(best, SUBSET, x, y, NULL, PROGRAMS, EVENTS, 0, &err) != MPJ_E_OK) {
        fprintf(stderr, "model-fit: %s\n", err.text);
        exit(1);
    }
    return now_s() - begin;
}

/* Residual sum of squares of a fit to two of the events; the same one twice: to it alone. */
static double rss_of(unsigned a, unsigned b)
{
    static double part[PROGRAMS * 2];
    const unsigned n = 1 + (a != b);
    struct mpj_fit fit;
    struct mpj_err err;

    for (unsigned i = 0; i < PROGRAMS; i++) {
        part[(size_t)i * n] = x[i * EVENTS + a];
        part[(size_t)i * n + n - 1] = x[i * EVENTS + b];
    }
    if (mpj_regress(&fit, part, y, NULL, PROGRAMS, n, &err) != MPJ_E_OK)
        return INFINITY;
    return fit.rss;
}

/* The subsets of one and of two events against all there are; a larger one leaves no larger rest.
 */
static bool best_ones(void)
{
    double least[2] = {INFINITY, INFINITY};
    bool good = true;

    for (unsigned a = 0; a < EVENTS; a++) {
        for (unsigned b = a; b < EVENTS; b++)
            least[a != b] = fmin(least[a != b], rss_of(a, b));
    }
    for (unsigned k = 0; k < SUBSET; k++) {
        good = good && best[k].size == k + 1;
        good = good && (k >= 2 || fabs(best[k].rss / least[k] - 1) < 1e-9);
        good = good && (k == 0 || best[k].rss <= best[k - 1].rss);
    }
    printf("subsets: %s\n", good ? "the best ones" : "not the best ones");
    return good;
}

static void fill(struct mpj_dataset_program *p, unsigned id)
{
    static char name[] = "p";
    static char family[2][2] = {"a", "b"};
    double v[MPJ_DATASET_EVENTS * 5];

    row(v, sizeof(v) / sizeof(v[0]));
    *p = (struct mpj_dataset_program){.id = id,
                                      .name = name,
                                      .family = family[id % 2],
                                      .description = name,
                                      .complete = true,
                                      .have_adc = true,
                                      .time_s = 0.1,
                                      .clock_hz = 210e6,
                                      .cores_mask = 15};
    p->power_mw = 500;
    for (unsigned e = 0; e < MPJ_DATASET_EVENTS; e++) {
        p->chip[e] = v[e] * 1e5;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            p->core[k].ev[e] = v[64 + e * 4 + k] * 1e6;
        p->power_mw += v[64 + e * 4] * 3 + v[e];
    }
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        p->core[k].present = true;
        p->core[k].cycles = 21e6;
        p->core[k].wfi_cycles = v[k] * 1e6;
    }
}

static void fits(struct mpj_model *m)
{
    static struct mpj_dataset_program program[PROGRAMS];
    static const char *const name[] = {"paper", "backward", "best-subset"};
    struct mpj_dataset ds = {.programs = PROGRAMS, .program = program};
    struct mpj_err err;

    for (unsigned i = 0; i < PROGRAMS; i++)
        fill(&program[i], i);
    for (unsigned k = 0; k < 3; k++) {
        const struct mpj_model_options o = {.method = (enum mpj_model_method)k};
        const double begin = now_s();
        if (mpj_model_fit(m, &ds, &o, &err) != MPJ_E_OK) {
            fprintf(stderr, "model-fit: %s: %s\n", name[k], err.text);
            exit(1);
        }
        printf("fit %-12s %u programs, all predictors: %.3f s, %zu kept\n", name[k], PROGRAMS,
               now_s() - begin, m->terms);
    }
}

static double prediction(const struct mpj_model *m)
{
    static struct mpj_run run;
    static struct mpj_thread_result thread[4];
    static struct mpj_value counted[4][MPJ_RUN_EVENTS_MAX];
    const unsigned times = 2000;
    struct mpj_err err;
    double begin;

    mpj_run_columns(&run, NULL);
    run.complete = true;
    run.time_s = 0.1;
    run.clock_hz = 210000000;
    run.threads = 4;
    run.thread = thread;
    for (unsigned k = 0; k < 4; k++)
        thread[k].ev = counted[k];
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++) {
        run.chip[e] = (struct mpj_value){.present = true, .value = 1000 + e, .coverage = 1.0};
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            run.core[k].ev[e] = thread[k].ev[e] = run.chip[e];
    }
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        run.core[k].present = run.core[k].have_wfi = true;
        run.core[k].cycles = thread[k].cycles = 21000000;
        thread[k].run_s = thread[k].core_run_s[k] = 0.1;
    }
    begin = now_s();
    for (unsigned i = 0; i < times; i++) {
        if (mpj_model_apply(m, &run, &err) != MPJ_E_OK) {
            fprintf(stderr, "model-fit: %s\n", err.text);
            exit(1);
        }
    }
    return (now_s() - begin) / times;
}

int main(int argc, char **argv)
{
    const bool check = argc == 2 && strcmp(argv[1], "--check") == 0;
    const double most = argc == 3 && strcmp(argv[1], "--most") == 0 ? strtod(argv[2], NULL) : 10;
    static struct mpj_model m;
    const double s = subsets();

    printf("all subsets up to %u of %u events, %u programs: %.3f s\n", SUBSET, EVENTS, PROGRAMS, s);
    fits(&m);
    printf("prediction of a run with 4 cores and 4 threads, %zu predictors: %.1f us\n", m.terms,
           prediction(&m) * 1e6);
    return check ? !best_ones() : s > most;
}
