/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UJ_PER_MWS 1e3

static double percent(double model, double measured)
{
    return measured > 0 ? (model - measured) / measured * 100 : NAN;
}

static void add(struct mpj_errors *e, double error)
{
    if (!isfinite(error))
        return;
    e->n++;
    e->mean += fabs(error);
    e->max = fmax(e->max, fabs(error));
}

static void end(struct mpj_errors *e)
{
    e->mean = e->n > 0 ? e->mean / e->n : NAN;
    if (e->n == 0)
        e->max = NAN;
}

static void count(struct mpj_inside *i, double error, double half)
{
    if (!isfinite(error) || !isfinite(half))
        return;
    i->n++;
    i->inside += fabs(error) <= half;
}

/* Compares cores and threads with the truth. */
static void parts(struct mpj_verify *v, struct mpj_verify_row *r)
{
    const struct mpj_dataset_program *const p = r->program;
    struct mpj_interval interval;

    mpj_model_interval(v->model, p, &interval);
    r->core_percent = r->thread_percent = NAN;
    for (unsigned k = 0; k < mpj_dataset_cores(p); k++) {
        const double error = percent(mpj_model_core_uj(v->model, p, k), mpj_core_truth_uj(p, k));
        add(&v->core, error);
        r->core_percent = fmax(r->core_percent, fabs(error));
    }
    for (unsigned i = 0; i < p->profiled; i++) {
        const struct mpj_dataset_thread *const t = &p->thread[i];
        const double uj = mpj_model_part_uj(v->model, p, &t->part);
        const double error = percent(uj, mpj_thread_truth_uj(p, t));
        if (t->part.run_s < MPJ_VERIFY_THREAD_SHARE * p->time_s)
            continue;
        add(&v->thread, error);
        count(&v->threads, uj - mpj_thread_truth_uj(p, t),
              mpj_interval_uj(&interval, MPJ_OF_THREAD, uj, t->part.run_s));
        r->thread_percent = fmax(r->thread_percent, fabs(error));
    }
}

static double half_mw(const struct mpj_model *m, const struct mpj_dataset_program *p,
                      double model_mw)
{
    struct mpj_interval interval;

    mpj_model_interval(m, p, &interval);
    return mpj_interval_uj(&interval, MPJ_OF_PROGRAM, model_mw * UJ_PER_MWS, mpj_dataset_cores(p)) /
           UJ_PER_MWS;
}

static void judge(struct mpj_verify *v, const struct mpj_dataset_program *p)
{
    struct mpj_verify_row *const r = &v->row[v->rows++];
    const double above = p->power_mw - v->idle_mw;

    *r = (struct mpj_verify_row){.program = p, .power_mw = p->power_mw};
    r->model_mw = mpj_model_power(v->model, p, MPJ_MODEL_CHIP);
    r->energy_uj = p->have_truth ? p->truth_energy_uj : p->energy_uj;
    r->model_uj = r->model_mw * p->time_s * UJ_PER_MWS;
    r->power_percent = percent(r->model_mw, r->power_mw);
    r->energy_percent = percent(r->model_uj, r->energy_uj);
    r->dynamic_percent = above >= MPJ_VERIFY_DYNAMIC_SHARE * v->idle_mw
                             ? (r->model_mw - r->power_mw) / above * 100
                             : NAN;
    r->half_mw = half_mw(v->model, p, r->model_mw);
    count(&v->programs, r->model_mw - r->power_mw, r->half_mw);
    r->outside = mpj_model_outside(v->model, p) >= 0;
    v->outside += r->outside;
    add(&v->power, r->power_percent);
    add(&v->energy, r->energy_percent);
    add(&v->dynamic, r->dynamic_percent);
    parts(v, r);
}

int mpj_verify_make(struct mpj_verify *out, const struct mpj_model *m, const struct mpj_dataset *ds,
                    double idle_mw, struct mpj_err *err)
{
    *out = (struct mpj_verify){.model = m, .idle_mw = idle_mw};
    if (!mpj_model_fits(m, ds->calibration))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "model %s was fitted to calibration %s, the programs ran with %s",
                           m->name, m->calibration, ds->calibration);
    if (m->metered != (ds->meter != NULL) ||
        (m->metered && m->meter[0] != '\0' && ds->meter[0] != '\0' &&
         strcmp(m->meter, ds->meter) != 0))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "model %s was fitted to %s%s, the programs were measured by %s%s",
                           m->name, m->metered ? "the external meter " : "the ADC", m->meter,
                           ds->meter != NULL ? "the external meter " : "the ADC",
                           ds->meter != NULL ? ds->meter : "");
    out->row = calloc(ds->programs + 1, sizeof(*out->row));
    if (out->row == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < ds->programs; i++) {
        const struct mpj_dataset_program *const p = &ds->program[i];
        const int missing = mpj_model_missing(m, p);
        if (!p->complete || !p->have_adc)
            continue;
        if (missing >= 0)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "%s: it did not count what model %s needs: %s (%s)", p->name,
                               m->name, mpj_predictor_name((size_t)missing),
                               mpj_predictor_formula((size_t)missing));
        judge(out, p);
    }
    if (out->rows == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "no program is complete");
    end(&out->power);
    end(&out->energy);
    end(&out->dynamic);
    end(&out->core);
    end(&out->thread);
    return MPJ_E_OK;
}

void mpj_verify_free(struct mpj_verify *v)
{
    free(v->row);
    v->row = NULL;
}
