/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves another optimiser, which names the points, or measures them. */
#include <stdlib.h>
#include <string.h>

#include "tune_search.h"

static int serve_external(struct run_tune *t, struct mpj_err *err)
{
    for (;;) {
        unsigned point;
        int k = -1;
        if (t->next(t, &k, err) != MPJ_E_OK)
            return err->code;
        if (k < 0)
            return MPJ_E_OK;
        point = (unsigned)k;
        if (run_tune_measure(t, &point, 1, err) != MPJ_E_OK || t->told(t, point, err) != MPJ_E_OK)
            return err->code;
    }
}

const struct run_tune_strategy run_tune_external = {"tell", "points that another optimiser names",
                                                    serve_external};

int run_tune_ask_external(struct run_tune *t, unsigned point, struct mpj_err *err)
{
    struct run_tune_point *const p = &t->point[point];
    json_t *answer = NULL;
    const char *failed;

    if (t->ask(t, point, &answer, err) != MPJ_E_OK)
        return err->code;
    t->ended = answer == NULL;
    if (t->ended)
        return mpj_err_set(err, MPJ_E_CANCELLED, "ended before the answer for point %u", point);
    failed = json_string_value(json_object_get(answer, "failed"));
    if (failed != NULL) {
        p->state = RUN_TUNE_FAILED;
        p->reason = strdup(failed);
        json_decref(answer);
        if (p->reason == NULL)
            return mpj_err_nomem(err);
        mpj_text_clean(p->reason); /* it is shown */
        return MPJ_E_OK;
    }
    p->figures = json_incref(json_object_get(answer, "figures"));
    json_decref(answer);
    return run_tune_judge(t, p, err);
}
