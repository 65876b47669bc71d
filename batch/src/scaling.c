/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the training data of predictors: every region with every number of threads. */
#include "batch/scaling_runs.h"
#include "run/passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/tempdir.h"
#include "campaign_int.h"
#include "report/adapted.h"
#include "tile_board.h"

#define THREADS   MPJ_SCALING_THREADS
#define LEAST_S   50e-6 /* a region of less is not adapted, and not measured well */
#define SAMPLE_US 500U  /* of the ADC, unless requested otherwise */

/* ---- regions of one run -------------------------------------------------------------- */

/* Returns the region's entry, by program and name; NULL: no memory. */
static struct mpj_scaling_region *entry_of(struct run_scaling *s, unsigned program,
                                           const char *name)
{
    struct mpj_scaling_region *more;

    for (size_t i = 0; i < s->regions; i++) {
        if (s->region[i].program == program && strcmp(s->region[i].name, name) == 0)
            return &s->region[i];
    }
    more = realloc(s->region, (s->regions + 1U) * sizeof(*more));
    if (more == NULL)
        return NULL;
    s->region = more;
    more += s->regions++;
    *more = (struct mpj_scaling_region){.program = program};
    snprintf(more->name, sizeof(more->name), "%s", name);
    for (unsigned n = 0; n < THREADS; n++)
        more->mw[n] = (double)NAN;
    return more;
}

/* Sums over a region's executions, the first left out if there are more. */
struct sums {
    unsigned runs, sampled;
    bool once; /* it had no more executions than the first */
    double s, mw, elapsed, cycles, event[MPJ_PMU_COUNTERS];
};

static struct sums add_up(const struct mpj_adapted *a, unsigned region)
{
    struct sums sum = {0};
    size_t first = a->runs;
    unsigned of_it = 0;

    for (size_t i = 0; i < a->runs; i++) {
        first = a->run[i].number == region && first == a->runs ? i : first;
        of_it += a->run[i].number == region;
    }
    sum.once = of_it == 1;
    for (size_t i = 0; i < a->runs; i++) {
        const struct mpj_adapted_run *const r = &a->run[i];

        if (r->number != region || isnan(r->cycles) || (i == first && of_it > 1))
            continue;
        sum.runs++;
        sum.s += r->s;
        sum.elapsed += r->elapsed;
        sum.cycles += r->cycles;
        for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
            sum.event[k] += r->event[k];
        if (!isnan(r->mw)) {
            sum.sampled += r->samples;
            sum.mw += r->mw * r->samples;
        }
    }
    return sum;
}

static int event_index(const struct run_scaling *s, uint16_t number)
{
    for (unsigned i = 0; i < s->events; i++) {
        if (s->number[i] == number)
            return (int)i;
    }
    return -1;
}

/* Takes one pass of a run with this many threads into the regions; event: that it counted. */
static int take_pass(struct run_scaling *s, unsigned program, unsigned threads,
                     const struct mpj_adapted *a, bool first,
                     const uint16_t event[MPJ_PMU_COUNTERS], struct mpj_err *err)
{
    for (unsigned g = 0; g < a->regions; g++) {
        const struct sums sum = add_up(a, g);
        struct mpj_scaling_region *r;
        char name[80];

        if (sum.runs == 0 || sum.s / sum.runs < LEAST_S)
            continue;
        if (a->region[g].function != NULL)
            snprintf(name, sizeof(name), "%s", a->region[g].function);
        else
            snprintf(name, sizeof(name), "0x%x", a->region[g].region);
        r = entry_of(s, program, name);
        if (r == NULL)
            return mpj_err_nomem(err);
        if (first) {
            r->once = sum.once;
            r->s[threads - 1U] = sum.s / sum.runs;
            r->busy[threads - 1U] = sum.cycles / (sum.elapsed * threads);
            if (sum.sampled > 0)
                r->mw[threads - 1U] = sum.mw / sum.sampled;
        }
        for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++) {
            const int e = event_index(s, event[k]);
            if (e < 0)
                continue;
            r->rate[threads - 1U][e] = 1000.0 * sum.event[k] / sum.cycles;
            if (strcmp(s->name[e], "instr") == 0)
                r->ipc[threads - 1U] = sum.event[k] / sum.elapsed;
        }
    }
    return MPJ_E_OK;
}

/* ---- runs ---------------------------------------------------------------------------- */

static int take_run(struct run_scaling *s, unsigned program, unsigned threads,
                    const struct run_measurement *r, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned pass = 0; pass < r->passes && result == MPJ_E_OK; pass++) {
        struct mpj_config_rec c = {0};
        struct mpj_adapted a;

        mpj_plan_select(&r->o.selection, pass, &c);
        result = mpj_adapted_load(&a, r->o.store, pass, err);
        if (result == MPJ_E_OK)
            result = take_pass(s, program, threads, &a, pass == 0, c.pmu[0], err);
        mpj_adapted_free(&a);
    }
    return result;
}

/* Selects every event where something is predicted from it; else instructions. */
static void select_events(const struct run_scaling *s, unsigned threads,
                          struct mpj_selection *selection)
{
    struct mpj_err ignored;

    *selection = (struct mpj_selection){{false}};
    for (unsigned i = 0; i < s->events; i++) {
        if (threads > 1 || strcmp(s->name[i], "instr") == 0)
            (void)mpj_selection_parse(selection, s->name[i], &ignored);
    }
}

static int make_run(struct run_scaling *s, const struct run_campaign_program *p, unsigned program,
                    unsigned threads, const char *folder, struct mpj_err *err)
{
    static const struct run_watch watch;
    struct run_measurement r = {.o = s->o};
    char policy[sizeof("MPJ_ADAPT=static:4294967295")];
    char store[200];
    unsigned made = 0;
    int result;

    snprintf(policy, sizeof(policy), "MPJ_ADAPT=static:%u", threads);
    snprintf(store, sizeof(store), "%s/run.mpj", folder);
    r.o.envp[r.o.envc++] = policy;
    r.o.elf = p->elf;
    r.o.store = store;
    r.o.events = true;
    r.o.sample_us = s->o.sample_us != 0 ? s->o.sample_us : SAMPLE_US;
    for (r.o.argc = 0; r.o.argc < p->argc && r.o.argc + 1U < RUN_ARGS_MAX; r.o.argc++)
        r.o.argv[r.o.argc] = p->argv[r.o.argc];
    select_events(s, threads, &r.o.selection);
    result = run_prepare(&r, err);
    if (result == MPJ_E_OK)
        result = run_passes(&r, &watch, &made, err);
    if (result == MPJ_E_OK && r.pass[0].result.end.exit_status != 0)
        result = mpj_err_set(err, MPJ_E_PROGRAM, "%s with %u threads ended with status %d", p->name,
                             threads, r.pass[0].result.end.exit_status);
    if (result == MPJ_E_OK)
        result = run_store(&r, made, NULL, err);
    if (result == MPJ_E_OK)
        result = take_run(s, program, threads, &r, err);
    run_release(&r);
    return result;
}

/* Returns the name of the target's calibration. */
static int calibration_of(const struct run_scaling *s, char *out, size_t size, struct mpj_err *err)
{
    struct run_target target = {0};
    const int result = run_target_find(&target, &s->o, err);
    const char *const label = result == MPJ_E_OK ? run_target_calibration(&target) : NULL;

    snprintf(out, size, "%s", label != NULL ? label : "unknown");
    run_target_release(&target);
    return result;
}

/* Checks that the predictor to be judged belongs to the target to be measured. */
static int check_calibration(const struct run_scaling *s, struct mpj_err *err)
{
    char is[sizeof(s->of->calibration)];

    if (s->of == NULL)
        return MPJ_E_OK;
    if (calibration_of(s, is, sizeof(is), err) != MPJ_E_OK)
        return err->code;
    if (strcmp(is, s->of->calibration) != 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the predictor was trained for calibration %s, this is %s: choose with "
                           "--calibration or --target",
                           s->of->calibration, is);
    return MPJ_E_OK;
}

int run_scaling_measure(struct run_scaling *s, struct mpj_err *err)
{
    struct run_campaign c = {.o = s->o, .list = s->list, .reads = s->reads};
    struct mpj_tempdir dir = {0};
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    int result;

    for (size_t i = 0; i < n && s->events < MPJ_SCALING_EVENTS; i++) {
        if (table[i].source != MPJ_SOURCE_PMU || strcmp(table[i].name, "cycles") == 0)
            continue;
        s->name[s->events] = table[i].name;
        s->number[s->events++] = table[i].number;
    }
    result = check_calibration(s, err);
    if (result == MPJ_E_OK)
        result = mpj_tempdir_make(&dir, err);
    c.work = dir.path;
    if (result == MPJ_E_OK)
        result = run_campaign_programs(&c, err);
    s->programs = c.programs;
    for (unsigned i = 0; i < c.programs && result == MPJ_E_OK; i++) {
        for (unsigned t = THREADS; t >= 1 && result == MPJ_E_OK; t--) {
            if (s->progress != NULL)
                s->progress(s->ctx, c.program[i].name, t, i * THREADS + THREADS - t,
                            c.programs * THREADS);
            result = make_run(s, &c.program[i], i, t, dir.path, err);
        }
    }
    run_campaign_programs_free(&c);
    mpj_tempdir_remove(&dir);
    return result;
}

int run_scaling_train(const struct run_scaling *s, struct mpj_scaling *out,
                      struct mpj_scaling_choice *choice, struct mpj_err *err)
{
    *out = (struct mpj_scaling){.abi = MPJ_ABI_VERSION};
    if (calibration_of(s, out->calibration, sizeof(out->calibration), err) != MPJ_E_OK)
        return err->code;
    snprintf(out->chip, sizeof(out->chip), "%s", TILE_NAME);
    snprintf(out->version, sizeof(out->version), "%s", MPJ_VERSION);
    return mpj_scaling_fit(out, s->region, s->regions, s->name, s->number, s->events, choice, err);
}

void run_scaling_free(struct run_scaling *s)
{
    free(s->region);
    s->region = NULL;
    s->regions = 0;
}
