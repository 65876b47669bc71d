/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store of a run's passes. */
#include "report/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "passes_int.h"
#include "run/energy_model.h"
#include "run/meter_process.h"
#include "run/passes.h"

/* The store learns what the program takes without profiling. */
static int compare_bare(const struct run_measurement *r, const struct run_pass *bare,
                        struct mpj_err *err)
{
    const char *const log = bare->log; /* committed */
    struct mpj_run *run = NULL;
    char *path = NULL;
    int result;

    if (asprintf(&path, "%.*s.mpj", (int)(strlen(log) - strlen(".mplog")), log) < 0)
        return mpj_err_nomem(err);
    result = mpj_store_build(path, &log, 1, NULL, err);
    if (result == MPJ_E_OK)
        result = mpj_run_load(&run, path, err);
    if (result == MPJ_E_OK)
        result = mpj_store_bare(r->o.store, run, err);
    mpj_run_free(run);
    free(path);
    return result;
}

struct energy {
    struct mpj_model model;
    struct mpj_dataset_program program;
};

static double energy_uj(void *ctx, double cycles, const double *ev)
{
    const struct energy *const e = ctx;

    return mpj_model_func_uj(&e->model, &e->program, cycles, ev);
}

/* Estimates the energy of functions that were measured at entry and exit, where there is a model
 * and the run has the counts it needs. */
static int apply_model(const struct run_measurement *r, struct mpj_err *err)
{
    struct energy e = {0};
    struct mpj_run *run = NULL;
    bool found = false;
    int result = mpj_run_load(&run, r->o.store, err);

    if (result != MPJ_E_OK)
        return result;
    if (run_model_for(&e.model, &found, r->o.model, run->target, run->calibration, err) ==
            MPJ_E_OK &&
        found && run->complete && mpj_model_program(&e.program, run, err) == MPJ_E_OK) {
        if (mpj_model_missing(&e.model, &e.program) < 0)
            result = mpj_store_func_energy(r->o.store, energy_uj, &e, err);
        mpj_dataset_program_clear(&e.program);
    }
    mpj_run_free(run);
    return result;
}

/* Builds the store, then commits its logs. */
static int replace(struct run_measurement *r, const char *const *logs, unsigned n,
                   const struct mpj_err *why, struct mpj_err *err)
{
    struct mpj_err ignored;

    if (!r->taken)
        return mpj_store_build_failed(r->failed, logs, n, r->o.elf, why, err);
    if (mpj_store_build(r->o.store, logs, n, r->o.elf, err) == MPJ_E_OK)
        return run_place(r, true, err);
    (void)run_place(r, false, &ignored);
    return err->code;
}

int run_store(struct run_measurement *r, unsigned n, const struct mpj_err *why, struct mpj_err *err)
{
    const char **const logs = calloc(n, sizeof(*logs));
    const struct run_pass *bare = NULL;
    int result;

    if (logs == NULL)
        return mpj_err_nomem(err);
    if (r->pass[n - 1].bare)
        bare = &r->pass[--n];
    for (unsigned i = 0; i < n; i++)
        logs[i] = r->taken ? mpj_log_at(r->pass[i].held) : r->pass[i].failed;
    result = replace(r, logs, n, why, err);
    if (result == MPJ_E_OK && why == NULL && (r->o.trace.flags & MPJ_TRACE_FUNCTIONS) != 0)
        result = apply_model(r, err);
    if (result == MPJ_E_OK && bare != NULL && why == NULL)
        result = compare_bare(r, bare, err);
    if (result == MPJ_E_OK && r->taken)
        result = meter_place(r->o.store, run_meter(r) != NULL && why == NULL, err);
    free(logs);
    return result;
}

const char *run_meter(const struct run_measurement *r)
{
    const char *const command = r->o.meter != NULL        ? r->o.meter
                                : r->target.board != NULL ? r->target.board->meter
                                                          : NULL;

    return command != NULL && command[0] != '\0' ? command : NULL;
}

int run_compress(const struct run_measurement *r, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < r->passes && result == MPJ_E_OK; i++) {
        if (r->pass[i].made == RUN_MADE_WHOLE)
            result = mpj_log_compress(r->pass[i].log, err);
    }
    return result;
}
