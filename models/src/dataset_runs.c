/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts recorded runs to a data set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/model.h"

static char *copy(const char *s)
{
    return strdup(s != NULL ? s : "");
}

/* Checks that the run was measured by the same instrument as those before it. */
static int same_meter(const struct mpj_dataset *ds, const struct mpj_run_power *p, const char *path,
                      struct mpj_err *err)
{
    const char *const now = !p->present ? NULL : p->meter;

    if (p->present &&
        ((now == NULL) != (ds->meter == NULL) || (now != NULL && strcmp(now, ds->meter) != 0)))
        return mpj_err_set(err, MPJ_E_USAGE, "%s was measured by %s%s, the previous ones by %s%s",
                           path, now != NULL ? "the meter's channel " : "the ADC",
                           now != NULL ? now : "",
                           ds->meter != NULL ? "the meter's channel " : "the ADC",
                           ds->meter != NULL ? ds->meter : "");
    return MPJ_E_OK;
}

static int add(struct mpj_dataset *ds, const struct mpj_run *run, const char *path,
               struct mpj_err *err)
{
    const struct mpj_run_power power = mpj_run_power(run);
    struct mpj_dataset_program *const p = &ds->program[ds->programs];
    const char *const calibration = run->calibration != NULL ? run->calibration : "";
    const char *const program = run->program != NULL ? run->program : path;

    if (ds->programs == 0) {
        ds->calibration = copy(calibration);
        ds->target = copy(run->target);
        ds->cores = run->machine.cores;
        ds->firmware_sha256 = copy(run->firmware_sha256);
        ds->meter = power.present && power.meter != NULL ? copy(power.meter) : NULL;
    }
    if (same_meter(ds, &power, path, err) != MPJ_E_OK)
        return err->code;
    if (ds->calibration != NULL && strcmp(ds->calibration, calibration) != 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s was run with calibration %s, the previous ones with %s", path,
                           calibration, ds->calibration);
    if (run->machine.cores != ds->cores)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s is from a board with %u cores, the previous ones from one with %u",
                           path, run->machine.cores, ds->cores);
    if (mpj_model_program(p, run, err) != MPJ_E_OK)
        return err->code;
    p->id = (unsigned)ds->programs++;
    p->complete = run->complete && power.present && run->time_s > 0;
    p->adc_samples = power.samples;
    p->family = copy("run");
    p->description = copy(run->arguments);
    p->name = run->arguments != NULL && run->arguments[0] != '\0' ? NULL : copy(program);
    if (p->name == NULL && asprintf(&p->name, "%s %s", program, p->description) < 0)
        p->name = NULL;
    return p->name != NULL && p->family != NULL && p->description != NULL ? MPJ_E_OK
                                                                          : mpj_err_nomem(err);
}

int mpj_dataset_of_runs(struct mpj_dataset **out, const char *const *paths, size_t count,
                        const char *meter, struct mpj_err *err)
{
    struct mpj_dataset *const ds = calloc(1, sizeof(*ds));
    int result = MPJ_E_OK;

    *out = NULL;
    if (ds == NULL || (ds->program = calloc(count + 1, sizeof(*ds->program))) == NULL) {
        free(ds);
        return mpj_err_nomem(err);
    }
    ds->passes = 1;
    ds->cores = MPJ_CORES_MAX;
    for (size_t i = 0; i < count && result == MPJ_E_OK; i++) {
        struct mpj_run *run;
        struct mpj_err why;
        result = mpj_run_load(&run, paths[i], err);
        if (result == MPJ_E_OK && meter != NULL &&
            mpj_run_choose_meter(run, meter, &why) != MPJ_E_OK)
            result = mpj_err_set(err, why.code, "%s: %s", paths[i], why.text);
        if (result == MPJ_E_OK)
            result = add(ds, run, paths[i], err);
        mpj_run_free(run);
    }
    if (result != MPJ_E_OK) {
        mpj_dataset_free(ds);
        return result;
    }
    *out = ds;
    return MPJ_E_OK;
}
