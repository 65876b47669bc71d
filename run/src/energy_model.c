/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/energy_model.h"

#include <stdlib.h>
#include <string.h>

#include "run/paths.h"

int run_model(struct mpj_model *out, const char *name, struct mpj_err *err)
{
    char *const root = run_path_models();
    int result;

    if (root == NULL)
        return mpj_err_nomem(err);
    result = mpj_model_find(out, root, name, err);
    free(root);
    return result;
}

int run_model_for(struct mpj_model *out, bool *found, const char *name, const char *target,
                  const char *calibration, struct mpj_err *err)
{
    const bool any = name == NULL || strcmp(name, RUN_MODEL_DEFAULT) == 0;
    char *root;
    int result;

    *found = false;
    if (name != NULL && strcmp(name, RUN_MODEL_NONE) == 0)
        return MPJ_E_OK;
    if (!any) {
        result = run_model(out, name, err);
        if (result == MPJ_E_OK && !mpj_model_fits(out, calibration))
            result =
                mpj_err_set(err, MPJ_E_USAGE, "model %s was fitted to calibration %s, this is %s",
                            out->name, out->calibration, calibration);
        *found = result == MPJ_E_OK;
        return result;
    }
    root = run_path_models();
    if (root == NULL)
        return mpj_err_nomem(err);
    result = mpj_model_default(out, found, root, target, calibration, err);
    free(root);
    if (result == MPJ_E_OK && name != NULL && !*found)
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "no model was fitted to target %s with calibration %s: name one with "
                             "--model, or see `mpjoule help model`",
                             target != NULL ? target : "(unknown)",
                             calibration != NULL ? calibration : "(unknown)");
    return result;
}

int run_model_apply(struct mpj_run *run, const char *name, struct mpj_err *warning,
                    struct mpj_err *err)
{
    struct mpj_model m;
    bool found;
    int result;

    warning->code = MPJ_E_OK;
    result = run_model_for(&m, &found, name, run->target, run->calibration, err);
    if (result == MPJ_E_OK && found)
        result = mpj_model_apply(&m, run, err);
    if (name == NULL && result == MPJ_E_STORE) { /* it was not requested */
        *warning = *err;
        return MPJ_E_OK;
    }
    return name == NULL && result == MPJ_E_USAGE ? MPJ_E_OK : result;
}
