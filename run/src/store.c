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
static int apply_model(const struct run_measurement *r, const char *path, struct mpj_err *err)
{
    struct energy e = {0};
    struct mpj_run *run = NULL;
    bool found = false;
    int result = mpj_run_load_built(&run, path, err);

    if (result != MPJ_E_OK)
        return result;
    if (run_model_for(&e.model, &found, r->o.model, run->target, run->calibration, err) ==
            MPJ_E_OK &&
        found && run->complete && mpj_model_program(&e.program, run, err) == MPJ_E_OK) {
        if (mpj_model_missing(&e.model, &e.program) < 0)
            result = mpj_store_func_energy(path, energy_uj, &e, err);
        mpj_dataset_program_clear(&e.program);
    }
    mpj_run_free(run);
    return result;
}

/* The store of a run, until it is complete. */
struct building {
    struct run_measurement *r;
    const char *const *logs;
    unsigned n;
    const struct run_pass *bare; /* NULL: no comparison */
    const struct mpj_run *without;
    bool whole;   /* the run went well */
    bool metered; /* ... and has an external meter */
};

static int complete(void *ctx, const char *path, struct mpj_err *err)
{
    const struct building *const b = ctx;
    int result = MPJ_E_OK;

    if (b->whole && (b->r->o.trace.flags & MPJ_TRACE_FUNCTIONS) != 0)
        result = apply_model(b->r, path, err);
    if (result == MPJ_E_OK && b->without != NULL)
        result = mpj_store_bare(path, b->without, err);
    if (result == MPJ_E_OK)
        result = meter_note(path, b->r->o.store, b->metered, err);
    return result;
}

static int build(struct building *b, struct mpj_err *err)
{
    return mpj_store_build_with(b->r->o.store, b->logs, b->n, b->r->o.elf, complete, b, err);
}

/* Builds the store of the run, compared with the one at path: what the program takes without
 * profiling. That one's older store is replaced after it. */
static int build_compared(void *ctx, const char *path, struct mpj_err *err)
{
    struct building *const b = ctx;
    struct mpj_run *run = NULL;
    int result = mpj_run_load_built(&run, path, err);

    b->without = run;
    if (result == MPJ_E_OK)
        result = build(b, err);
    b->without = NULL;
    mpj_run_free(run);
    return result;
}

static int build_both(struct building *b, struct mpj_err *err)
{
    const char *const name = b->bare->log;
    const char *const log = mpj_log_at(b->bare->held);
    char *path = NULL;
    int result;

    if (asprintf(&path, "%.*s.mpj", (int)(strlen(name) - strlen(".mplog")), name) < 0)
        return mpj_err_nomem(err);
    result = mpj_store_build_with(path, &log, 1, NULL, build_compared, b, err);
    free(path);
    return result;
}

/* Builds the store of a failed attempt. */
static int keep(const struct building *b, const struct mpj_err *why, struct mpj_err *err)
{
    const struct run_measurement *const r = b->r;

    meter_fail(r->o.store, run_meter(r) != NULL);
    return mpj_store_build_failed(r->failed, b->logs, b->n, r->o.elf, why, err);
}

/* Builds the store, then commits the meter's lines and the logs. */
static int replace(struct building *b, struct mpj_err *err)
{
    struct run_measurement *const r = b->r;
    struct mpj_err late;
    int result;
    int placed;

    if ((b->bare != NULL ? build_both(b, err) : build(b, err)) != MPJ_E_OK) {
        meter_fail(r->o.store, run_meter(r) != NULL);
        (void)run_place(r, false, &late);
        return err->code;
    }
    result = meter_place(r->o.store, b->metered, err);
    placed = run_place(r, true, &late);
    if (result == MPJ_E_OK && placed != MPJ_E_OK) {
        *err = late;
        result = placed;
    }
    return result;
}

int run_store(struct run_measurement *r, unsigned n, const struct mpj_err *why, struct mpj_err *err)
{
    const char **const logs = calloc(n, sizeof(*logs));
    struct building b = {.r = r, .logs = logs, .n = n, .whole = why == NULL};
    int result;

    if (logs == NULL)
        return mpj_err_nomem(err);
    if (r->pass[n - 1].bare) {
        b.n--;
        b.bare = why == NULL ? &r->pass[n - 1] : NULL;
    }
    for (unsigned i = 0; i < b.n; i++)
        logs[i] = r->taken ? mpj_log_at(r->pass[i].held) : r->pass[i].failed;
    b.metered = b.whole && run_meter(r) != NULL;
    result = r->taken ? replace(&b, err) : keep(&b, why, err);
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
