/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run under MPJ_ADAPT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/scaling.h"
#include "passes_int.h"
#include "run/energy_model.h"
#include "run/paths.h"
#include "tile_board.h"

#define NAME "MPJ_ADAPT="

/* True for policies that predict. */
static bool predicts(const char *policy)
{
    static const char *const names[] = {"time", "energy", "edp", "ed2", "pre"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(policy, names[i]) == 0)
            return true;
    }
    return false;
}

/* Returns the calibration that the predictor must have been trained for. */
static const char *trained_for(const struct run_measurement *r)
{
    return r->o.predictor_of != NULL ? r->o.predictor_of : run_target_calibration(&r->target);
}

static void leave_out(struct run_options *o, unsigned at)
{
    memmove(&o->envp[at], &o->envp[at + 1U], (o->envc - at) * sizeof(o->envp[0]));
    o->envc--;
}

/* Finds the file fitted to a calibration; *out is NULL when there is none. */
static int default_file(char **out, const char *calibration, struct mpj_err *err)
{
    char *const models = run_path_models();
    const int made = models == NULL ? -1
                                    : asprintf(out, "%s/fitted/%s.predictor", models,
                                               calibration != NULL ? calibration : "unknown");

    free(models);
    if (made < 0) {
        *out = NULL;
        return mpj_err_nomem(err);
    }
    if (access(*out, R_OK) != 0) {
        free(*out);
        *out = NULL;
    }
    return MPJ_E_OK;
}

/* True if the predictor was trained for the chip, the calibration and the firmware of the run;
 * otherwise the notice has the difference. */
static bool belongs(struct run_measurement *r, const struct mpj_scaling *p, const char *file,
                    const char *calibration)
{
    const char *what = NULL;
    char has[80];
    char is[80];

    if (strcmp(p->chip, TILE_NAME) != 0) {
        what = "chip";
        snprintf(has, sizeof(has), "%s", p->chip);
        snprintf(is, sizeof(is), "%s", TILE_NAME);
    } else if (calibration == NULL || strcmp(p->calibration, calibration) != 0) {
        what = "calibration";
        snprintf(has, sizeof(has), "%s", p->calibration);
        snprintf(is, sizeof(is), "%s", calibration != NULL ? calibration : "(unknown)");
    } else if (p->abi != MPJ_ABI_VERSION) {
        what = "firmware";
        snprintf(has, sizeof(has), "ABI %u", p->abi);
        snprintf(is, sizeof(is), "ABI %u", MPJ_ABI_VERSION);
    }
    if (what == NULL)
        return true;
    snprintf(r->notice, sizeof(r->notice),
             "%s was trained for %s %s, this is %s: the program runs without MPJ_ADAPT", file, what,
             has, is);
    return false;
}

/* Counts the predictor's events, unless others were requested, which take precedence. */
static bool take_events(struct run_measurement *r, const struct mpj_scaling *p)
{
    struct mpj_selection selection = {{false}};
    struct mpj_err ignored;

    (void)mpj_selection_parse(&selection, p->event[0], &ignored);
    (void)mpj_selection_parse(&selection, p->event[1], &ignored);
    if (!r->o.rotate && !r->o.no_counters &&
        (!r->o.events || memcmp(&selection, &r->o.selection, sizeof(selection)) == 0) &&
        (r->o.model == NULL || strcmp(r->o.model, RUN_MODEL_NONE) == 0)) {
        r->o.selection = selection;
        return true;
    }
    snprintf(r->notice, sizeof(r->notice),
             "the requested events leave no counters for the predictor (%s, %s): the controller "
             "measures numbers of threads instead of predicting them",
             p->event[0], p->event[1]);
    return false;
}

static int send(struct run_measurement *r, const char *file, unsigned at, struct mpj_err *err)
{
    const char *const calibration = trained_for(r);
    struct mpj_scaling p;
    char text[MPJ_SCALING_TEXT];

    if (mpj_scaling_load(&p, file, err) != MPJ_E_OK || mpj_scaling_text(&p, text, err) != MPJ_E_OK)
        return err->code;
    if (!belongs(r, &p, file, calibration)) {
        leave_out(&r->o, at);
        return MPJ_E_OK;
    }
    if (!take_events(r, &p))
        return MPJ_E_OK;
    if (r->o.envc == RUN_ENV_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "with a predictor, --env is allowed at most %d times",
                           RUN_ENV_MAX - 1);
    if (asprintf(&r->predictor, "MPJ_ADAPT_PREDICTOR=%s", text) < 0) {
        r->predictor = NULL;
        return mpj_err_nomem(err);
    }
    r->o.envp[r->o.envc++] = r->predictor;
    return MPJ_E_OK;
}

int run_adapt_prepare(struct run_measurement *r, struct mpj_err *err)
{
    const char *file = r->o.predictor;
    char *found = NULL;
    unsigned at = 0;
    int result;

    while (at < r->o.envc && strncmp(r->o.envp[at], NAME, sizeof(NAME) - 1U) != 0)
        at++;
    if (at == r->o.envc || !predicts(r->o.envp[at] + sizeof(NAME) - 1U)) {
        if (file != NULL)
            snprintf(r->notice, sizeof(r->notice),
                     "--predictor is not used: MPJ_ADAPT has no policy that predicts");
        return MPJ_E_OK;
    }
    if (file == NULL) {
        if (default_file(&found, trained_for(r), err) != MPJ_E_OK)
            return err->code;
        file = found;
    }
    if (file != NULL) {
        result = send(r, file, at, err);
    } else {
        snprintf(r->notice, sizeof(r->notice),
                 "no predictor was trained for this target (`mpjoule predictor train`): the "
                 "controller measures numbers of threads instead of predicting them");
        result = MPJ_E_OK;
    }
    free(found);
    return result;
}
