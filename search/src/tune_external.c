/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves another optimiser, which names the points, or measures them. */
#include <stdlib.h>
#include <string.h>

#include "tune_search.h"

static bool is_figure(const char *name)
{
    for (size_t i = 0; run_tune_figure(i) != NULL; i++) {
        if (strcmp(run_tune_figure(i), name) == 0)
            return true;
    }
    return strcmp(name, "region_wait") == 0 || strncmp(name, "wait_", 5) == 0;
}

int run_tune_figures_check(const json_t *figures, struct mpj_err *err)
{
    json_t *const all = (json_t *)figures; /* jansson's iterators do not know const */

    for (void *i = json_object_iter(all); i != NULL; i = json_object_iter_next(all, i)) {
        const char *const name = json_object_iter_key(i);
        if (!is_figure(name))
            return mpj_err_set(err, MPJ_E_USAGE, "unknown figure \"%.60s\"", name);
        if (run_tune_value_check(name, json_object_iter_value(i), err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

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
