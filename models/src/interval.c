/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prediction intervals from the errors of programs that a fit has not seen (split conformal
 * prediction with a fit for each family): half of an interval is the error, relative to the dynamic
 * part, that the given share of these programs does not exceed.
 *
 * Programs of the fit are mixes of several threads and pieces of code, whose errors average. A
 * thread and many an ordinary program are not. So the errors of programs of one thread are also
 * multiplied by the root of the number of pieces that they consist of, because the errors of pieces
 * are independent, and the larger share holds. A function may be the piece that causes all of its
 * program's error: its share is that of these errors multiplied by the number of pieces.
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
    double *const all = calloc(3 * n + 1, sizeof(*all)); /* of all, of pieces, of functions */
    size_t single = 0;
    double program;
    double piece;

    *out = (struct mpj_model_interval){0};
    if (all == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < n; i++) {
        const double dynamic = fmax(p[i]->power_mw - error[i] - constant_mw, 0);
        const double pieces = mpj_generated_pieces(p[i]->description);

        all[i] = fabs(error[i]) / (dynamic + MPJ_MODEL_LEAST * constant_mw);
        if (pieces > 0) {
            all[n + single] = all[i] * sqrt(pieces);
            all[2 * n + single++] = all[i] * pieces;
        }
    }
    program = quantile(all, n, MPJ_MODEL_LEVEL);
    piece = quantile(all + n, single, MPJ_MODEL_LEVEL);
    if (constant_mw > 0 && !isnan(program)) {
        out->level = MPJ_MODEL_LEVEL;
        out->least_mw = MPJ_MODEL_LEAST * constant_mw;
        out->share[MPJ_OF_PROGRAM] = out->share[MPJ_OF_THREAD] = fmax(program, piece);
        out->share[MPJ_OF_FUNCTION] = /* a part is not better known than its whole */
            isnan(piece)
                ? NAN
                : fmax(out->share[MPJ_OF_THREAD], quantile(all + 2 * n, single, MPJ_MODEL_LEVEL));
    }
    free(all);
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
