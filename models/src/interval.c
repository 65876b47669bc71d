/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prediction intervals from the errors of programs that a fit has not seen (split conformal
 * prediction with a fit for each family): half of an interval is the error, relative to the dynamic
 * part, that the given share of these programs does not exceed.
 *
 * A thread has no other threads that its errors average with: its share is that of programs of one
 * thread. Nor has a function other functions: its share is of the same programs, where the error of
 * each is multiplied by the root of the number of pieces of code it consists of, because the errors
 * of pieces are independent.
 */
#include <math.h>
#include <stdlib.h>

#include "model_int.h"
#include "models/generate.h"

#define FEWEST 20U /* programs: of 19 or fewer none is beyond the 95 % */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the smallest share that covers the level in n + 1 cases, the n known and an unseen one;
 * NAN: too few. Sorts them. */
static double quantile(double *share, size_t n, double level)
{
    const size_t rank = (size_t)ceil((double)(n + 1) * level - 1e-9);

    if (n < FEWEST || rank > n)
        return NAN;
    qsort(share, n, sizeof(*share), by_size);
    return share[rank - 1];
}

int mpj_interval_make(struct mpj_model_interval *out, double constant_mw,
                      const struct mpj_dataset_program *const *p, const double *error, size_t n,
                      struct mpj_err *err)
{
    double *const share = calloc(MPJ_INTERVALS * n + 1, sizeof(*share));
    size_t count[MPJ_INTERVALS] = {0};

    *out = (struct mpj_model_interval){.level = MPJ_MODEL_LEVEL,
                                       .least_mw = MPJ_MODEL_LEAST * constant_mw};
    if (share == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < n; i++) {
        const double dynamic = fmax(p[i]->power_mw - error[i] - constant_mw, 0);
        const double s = fabs(error[i]) / (dynamic + out->least_mw);
        const double pieces = mpj_generated_pieces(p[i]->description);

        share[count[MPJ_OF_PROGRAM]++] = s;
        if (p[i]->threads != 1)
            continue;
        share[n + count[MPJ_OF_THREAD]++] = s;
        if (pieces > 0)
            share[2 * n + count[MPJ_OF_FUNCTION]++] = s * sqrt(pieces);
    }
    for (unsigned of = 0; of < MPJ_INTERVALS; of++)
        out->share[of] = quantile(share + of * n, count[of], out->level);
    if (isnan(out->share[MPJ_OF_PROGRAM]) || !(constant_mw > 0))
        *out = (struct mpj_model_interval){0};
    free(share);
    return MPJ_E_OK;
}

void mpj_model_interval(const struct mpj_model *m, const struct mpj_dataset_program *p,
                        struct mpj_interval *out)
{
    const double cores = mpj_dataset_cores(p);

    *out = (struct mpj_interval){.level = m->interval.level,
                                 .constant_mw = m->constant_mw / cores,
                                 .least_mw = m->interval.least_mw / cores};
    for (unsigned of = 0; of < MPJ_INTERVALS; of++)
        out->share[of] = m->interval.share[of];
}
