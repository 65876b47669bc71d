/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictions of a model for a program, its cores, threads and regions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_int.h"

#define UJ_PER_MWS     1e3
#define TRUTH_CONTEXTS 4095U /* threads from this number on share one truth */

/* ---- a run as a program ----------------------------------------------------- */

static double value(const struct mpj_value *v)
{
    return v->present ? (double)v->value : NAN;
}

/* Returns its time on a core: longer than run_s where it polled while it waited. run_s: time it
 * ran, used if its cycles were not counted. */
static double held_s(const struct mpj_run *run, uint64_t cycles, double run_s)
{
    return cycles > 0 && run->clock_hz > 0 ? (double)cycles / run->clock_hz : run_s;
}

/* Fills a part. core_run_s: seconds on each core; counted: by a thread or a part of a region. */
static void fill_part(struct mpj_dataset_part *out, const struct mpj_run *run, double held,
                      const double *core_run_s, uint64_t cycles, const struct mpj_value *counted)
{
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];
    double sum = 0;

    mpj_run_values(run, counted, ev);

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        sum += core_run_s[k];
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        out->core_share[k] = sum > 0 ? core_run_s[k] / sum : 0;
    out->run_s = held;
    out->cycles = (double)cycles;
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++) /* a core that was not used counted nothing */
        out->ev[e] = cycles > 0 ? value(&ev[e]) : 0;
}

/* Scales counts to the first pass. Threads that share work dynamically do more of it in one pass
 * than in another: the factor is the ratio of their shares of all threads' cycles. all: these
 * cycles in the first pass. */
static void to_first_pass(struct mpj_dataset_part *part, const struct mpj_run *run,
                          const struct mpj_thread_result *t, double all)
{
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++) {
        const struct mpj_value v = mpj_run_value(run, t->ev, (int)e);
        if (v.pass > 0 && v.share > 0 && all > 0)
            part->ev[e] *= part->cycles / all / v.share;
    }
}

static void fill_truth(struct mpj_dataset_program *p, const struct mpj_run *run)
{
    const struct mpj_truth *const t = &run->truth;

    p->have_truth = true;
    p->truth_window_s = (double)t->cycles / run->clock_hz;
    p->truth_energy_uj = t->energy_uj;
    p->truth_shared_uj = t->shared_energy_uj;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        p->truth_core_uj[k] = t->core[k].energy_uj;
    for (unsigned i = 0; i < p->profiled; i++) {
        struct mpj_dataset_thread *const mine = &p->thread[i];
        for (unsigned c = 0; c < t->threads && mine->id < TRUTH_CONTEXTS; c++) {
            if (t->thread[c].id != mine->id)
                continue;
            mine->have_truth = true;
            mine->truth_uj = t->thread[c].energy_uj;
            mine->truth_cycles = (double)t->thread[c].cycles;
        }
    }
}

int mpj_model_program(struct mpj_dataset_program *out, const struct mpj_run *run,
                      struct mpj_err *err)
{
    const struct mpj_run_power power = mpj_run_power(run);
    double all = 0;

    *out = (struct mpj_dataset_program){.complete = run->complete,
                                        .time_s = run->time_s,
                                        .clock_hz = run->clock_hz,
                                        .cores_mask = run->cores_mask,
                                        .board_cores = run->machine.cores,
                                        .have_adc = power.present,
                                        .passes = run->passes};
    if (power.present && run->time_s > 0) {
        out->energy_uj = power.energy_uj;
        out->power_mw = power.energy_uj / run->time_s / UJ_PER_MWS;
    }
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++) {
        out->chip[e] = value(&run->chip[e]);
        out->chip_later[e] = run->chip[e].pass > 0 && !run->alike;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            out->core[k].ev[e] = value(&run->core[k].ev[e]);
            out->core[k].later[e] = run->core[k].ev[e].pass > 0 && !run->alike;
        }
    }
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        out->core[k].present = run->core[k].present;
        out->core[k].cycles = (double)run->core[k].cycles;
        out->core[k].wfi_cycles = run->core[k].have_wfi ? (double)run->core[k].wfi_cycles : NAN;
    }
    if (run->threads > 0) {
        out->thread = calloc(run->threads, sizeof(*out->thread));
        if (out->thread == NULL)
            return mpj_err_nomem(err);
        out->profiled = run->threads;
    }
    for (unsigned i = 0; i < run->threads; i++)
        all += (double)run->thread[i].cycles;
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        out->thread[i].id = t->id;
        fill_part(&out->thread[i].part, run, held_s(run, t->cycles, t->run_s), t->core_run_s,
                  t->cycles, t->ev);
        to_first_pass(&out->thread[i].part, run, t, all);
    }
    if (run->have_truth && run->clock_hz > 0)
        fill_truth(out, run);
    return MPJ_E_OK;
}

/* ---- prediction ------------------------------------------------------------- */

double mpj_model_power(const struct mpj_model *m, const struct mpj_dataset_program *p,
                       uint32_t core)
{
    double mw = core == MPJ_MODEL_CHIP ? m->constant_mw : m->constant_mw / mpj_dataset_cores(p);

    for (size_t i = 0; i < m->terms; i++)
        mw += m->term[i].c * mpj_predictor_rate((size_t)m->term[i].predictor, p, core);
    return mw;
}

double mpj_model_part_uj(const struct mpj_model *m, const struct mpj_dataset_program *p,
                         const struct mpj_dataset_part *part)
{
    double mws = m->constant_mw / mpj_dataset_cores(p) * part->run_s;

    for (size_t i = 0; i < m->terms; i++)
        mws += m->term[i].c * mpj_predictor_count((size_t)m->term[i].predictor, p, part);
    return mws * UJ_PER_MWS;
}

double mpj_model_func_uj(const struct mpj_model *m, const struct mpj_dataset_program *p,
                         double cycles, const double *ev)
{
    const int rd = MPJ_ROW_DCACHE_RD_MISS;
    const int wr = MPJ_ROW_DCACHE_WR_MISS;
    const double mine = ev[rd] + ev[wr];
    struct mpj_dataset_part part = {.cycles = cycles};
    double held = 0;
    double all = 0;

    part.run_s = p->clock_hz > 0 ? cycles / p->clock_hz : 0;
    memcpy(part.ev, ev, sizeof(part.ev));
    for (unsigned i = 0; i < p->profiled; i++) {
        held += p->thread[i].part.run_s;
        all += p->thread[i].part.ev[rd] + p->thread[i].part.ev[wr];
    }
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        for (unsigned i = 0; i < p->profiled && held > 0; i++)
            part.core_share[k] += p->thread[i].part.core_share[k] * p->thread[i].part.run_s / held;
        for (unsigned kind = 0; kind < MPJ_FILL_KINDS; kind++) {
            const int e = mpj_fill_event(kind, k);

            part.ev[e] = 0;
            for (unsigned i = 0; i < p->profiled; i++)
                part.ev[e] += p->thread[i].part.ev[e] * (all > 0 ? mine / all : 1);
        }
    }
    return mpj_model_part_uj(m, p, &part);
}

double mpj_model_core_uj(const struct mpj_model *m, const struct mpj_dataset_program *p,
                         unsigned core)
{
    const struct mpj_dataset_part part = mpj_first_pass_part(p, core);

    return mpj_model_part_uj(m, p, &part);
}

double mpj_thread_truth_uj(const struct mpj_dataset_program *p, const struct mpj_dataset_thread *t)
{
    const double core_cycles = p->truth_window_s * p->clock_hz * mpj_dataset_cores(p);

    if (!p->have_truth || !t->have_truth || !(core_cycles > 0))
        return NAN;
    return t->truth_uj + p->truth_shared_uj * t->truth_cycles / core_cycles;
}

double mpj_core_truth_uj(const struct mpj_dataset_program *p, unsigned core)
{
    return p->have_truth ? p->truth_core_uj[core] + p->truth_shared_uj / mpj_dataset_cores(p) : NAN;
}

int mpj_model_outside(const struct mpj_model *m, const struct mpj_dataset_program *p)
{
    for (size_t i = 0; i < m->terms; i++) {
        const double r = mpj_predictor_rate((size_t)m->term[i].predictor, p, MPJ_MODEL_CHIP);
        if (r < m->term[i].low || r > m->term[i].high)
            return (int)i;
    }
    return -1;
}

int mpj_model_missing(const struct mpj_model *m, const struct mpj_dataset_program *p)
{
    for (size_t i = 0; i < m->terms; i++) {
        if (isnan(mpj_predictor_rate((size_t)m->term[i].predictor, p, MPJ_MODEL_CHIP)))
            return m->term[i].predictor;
    }
    return -1;
}

void mpj_model_events(const struct mpj_model *m, bool *want)
{
    for (size_t i = 0; i < m->terms; i++)
        mpj_predictor_events((size_t)m->term[i].predictor, true, want);
}

bool mpj_model_fits(const struct mpj_model *m, const char *calibration)
{
    return calibration == NULL || calibration[0] == '\0' || m->calibration[0] == '\0' ||
           strcmp(m->calibration, calibration) == 0;
}

/* ---- into a run ------------------------------------------------------------- */

/* Fills a thread's part of a region: it is assumed to have run on the thread's cores, and its
 * linefills to have the same sources as the thread's. */
static void region_part(struct mpj_dataset_part *out, const struct mpj_run *run,
                        const struct mpj_dataset_program *p, const struct mpj_region_part *of)
{
    static const double nowhere[MPJ_CORES_MAX];
    const int misses[] = {MPJ_ROW_DCACHE_RD_MISS, MPJ_ROW_DCACHE_WR_MISS};
    unsigned i = 0;

    while (i < run->threads && run->thread[i].id != of->thread)
        i++;
    fill_part(out, run, held_s(run, of->cycles, of->run_s),
              i < run->threads ? run->thread[i].core_run_s : nowhere, of->cycles, of->ev);
    if (i < run->threads) {
        const struct mpj_dataset_part *const whole = &p->thread[i].part;
        const double all = whole->ev[misses[0]] + whole->ev[misses[1]];
        const double mine = out->ev[misses[0]] + out->ev[misses[1]];
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            for (unsigned kind = 0; kind < MPJ_FILL_KINDS; kind++) {
                const int e = mpj_fill_event(kind, k);
                out->ev[e] = all > 0 ? whole->ev[e] * mine / all : whole->ev[e];
            }
        }
    }
}

static void apply_threads(const struct mpj_model *m, const struct mpj_dataset_program *p,
                          struct mpj_run *run)
{
    double left = run->model.energy_uj;

    for (unsigned i = 0; i < run->threads; i++) {
        run->thread[i].energy_uj = mpj_model_part_uj(m, p, &p->thread[i].part);
        left -= run->thread[i].energy_uj;
    }
    run->idle_energy_uj = left;
    for (unsigned i = 0; i < run->regions; i++) {
        struct mpj_region_result *const g = &run->region[i];
        g->energy_uj = 0;
        for (unsigned k = 0; k < g->parts; k++) {
            struct mpj_dataset_part part;
            region_part(&part, run, p, &g->part[k]);
            g->part[k].energy_uj = mpj_model_part_uj(m, p, &part);
            g->energy_uj += g->part[k].energy_uj;
        }
    }
}

int mpj_model_apply(const struct mpj_model *m, struct mpj_run *run, struct mpj_err *err)
{
    struct mpj_dataset_program p;
    struct mpj_run_model *const out = &run->model;
    struct mpj_run_power power;
    struct mpj_err none;
    bool like;
    int missing;
    int outside;

    if (!mpj_model_fits(m, run->calibration))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "model %s was fitted to calibration %s, the run had %s", m->name,
                           m->calibration, run->calibration);
    if (!run->complete || !(run->time_s > 0))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the run is incomplete: a model cannot be applied to it");
    /* compared with the instrument it was fitted to, or not at all */
    like = !m->metered || mpj_run_choose_meter(run, m->meter, &none) == MPJ_E_OK;
    power = mpj_run_power(run);
    if (mpj_model_program(&p, run, err) != MPJ_E_OK)
        return err->code;
    missing = mpj_model_missing(m, &p);
    if (missing >= 0) {
        mpj_dataset_program_clear(&p);
        return mpj_err_set(
            err, MPJ_E_USAGE, "the run did not count what model %s needs of it: %s (%s)", m->name,
            mpj_predictor_name((size_t)missing), mpj_predictor_formula((size_t)missing));
    }
    outside = mpj_model_outside(m, &p);
    *out = (struct mpj_run_model){.present = true, .stated_percent = m->max_error_percent};
    snprintf(out->name, sizeof(out->name), "%s", m->name);
    out->power_mw = mpj_model_power(m, &p, MPJ_MODEL_CHIP);
    out->energy_uj = out->power_mw * run->time_s * UJ_PER_MWS;
    mpj_model_interval(m, &p, &out->interval);
    out->interval_uj = mpj_interval_uj(&out->interval, MPJ_OF_PROGRAM, out->energy_uj,
                                       run->time_s * mpj_dataset_cores(&p));
    out->adc_percent = like && p.have_adc && p.power_mw > 0
                           ? (out->power_mw - p.power_mw) / p.power_mw * 100
                           : NAN;
    out->by_meter = power.meter != NULL;
    snprintf(out->meter, sizeof(out->meter), "%s%.31s",
             !out->by_meter           ? "the ADC"
             : power.meter[0] != '\0' ? "meter "
                                      : "the meter",
             out->by_meter ? power.meter : "");
    if (outside >= 0)
        snprintf(out->outside, sizeof(out->outside), "%s",
                 mpj_predictor_name((size_t)m->term[outside].predictor));
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        run->core[k].energy_uj = mpj_model_core_uj(m, &p, k);
    apply_threads(m, &p, run);
    mpj_dataset_program_clear(&p);
    return MPJ_E_OK;
}
