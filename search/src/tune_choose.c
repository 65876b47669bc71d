/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the best points of a tune. */
#include <math.h>
#include <stdlib.h>

#include "tune_int.h"

static bool dominates(const struct run_tune *t, const struct run_tune_point *a,
                      const struct run_tune_point *b)
{
    bool better = false;

    for (unsigned i = 0; i < t->objective.n; i++) {
        if (a->objective[i] > b->objective[i])
            return false;
        better = better || a->objective[i] < b->objective[i];
    }
    return better;
}

/* Orders by the objectives, the first one first, then by number. */
static int earlier(const void *a, const void *b, void *ctx)
{
    const struct run_tune *const t = ctx;
    const unsigned x = *(const unsigned *)a;
    const unsigned y = *(const unsigned *)b;

    for (unsigned i = 0; i < t->objective.n; i++) {
        const double p = t->point[x].objective[i];
        const double q = t->point[y].objective[i];
        if (p != q)
            return p < q ? -1 : 1;
    }
    return x < y ? -1 : 1;
}

static void knee(struct run_tune *t, const unsigned *front, unsigned n)
{
    double nearest = INFINITY;

    for (unsigned k = 0; k < n; k++) {
        double distance = 0;
        for (unsigned i = 0; i < t->objective.n; i++) {
            const double low = t->point[t->best[i]].objective[i];
            double high = low;
            for (unsigned j = 0; j < n; j++)
                high = fmax(high, t->point[front[j]].objective[i]);
            const double part =
                high > low ? (t->point[front[k]].objective[i] - low) / (high - low) : 0;
            distance += part * part;
        }
        if (distance < nearest || (distance == nearest && front[k] < (unsigned)t->knee)) {
            nearest = distance;
            t->knee = (int)front[k];
        }
    }
}

int run_tune_choose(struct run_tune *t, struct mpj_err *err)
{
    unsigned *const order = malloc(t->points * sizeof(*order));
    unsigned measured = 0;
    unsigned front = 0;

    if (order == NULL)
        return mpj_err_nomem(err);
    t->knee = -1;
    for (unsigned i = 0; i < t->objective.n; i++)
        t->best[i] = -1;
    for (unsigned k = 0; k < t->points; k++) {
        t->point[k].front = false;
        if (t->point[k].state == RUN_TUNE_MEASURED)
            order[measured++] = k;
    }
    /* A point that dominates another one comes before it, and so does one of the front that does.
     */
    qsort_r(order, measured, sizeof(*order), earlier, t);
    for (unsigned n = 0; n < measured; n++) {
        const unsigned k = order[n];
        struct run_tune_point *const p = &t->point[k];
        p->front = true;
        for (unsigned j = 0; p->front && j < front; j++)
            p->front = !dominates(t, &t->point[order[j]], p);
        if (!p->front)
            continue;
        for (unsigned i = 0; i < t->objective.n; i++) {
            const double least = t->best[i] >= 0 ? t->point[t->best[i]].objective[i] : INFINITY;
            if (p->objective[i] < least || (p->objective[i] == least && (int)k < t->best[i]))
                t->best[i] = (int)k;
        }
        order[front++] = k;
    }
    knee(t, order, front);
    free(order);
    return MPJ_E_OK;
}
