/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/drift.h"

#include <math.h>

#define FIRST_WIDTH 0.25
#define BINS_LEAST  8U
#define SPAN_LEAST  10.0

/* Doubles the width of the bins: of two, the faster record stays. */
static void widen(struct mpj_drift *d)
{
    for (unsigned i = 0; i < MPJ_DRIFT_BINS / 2; i++) {
        const unsigned a = 2 * i;
        const bool second =
            d->bin[a + 1].used && (!d->bin[a].used || d->bin[a + 1].late < d->bin[a].late);
        d->bin[i] = d->bin[second ? a + 1 : a];
    }
    for (unsigned i = MPJ_DRIFT_BINS / 2; i < MPJ_DRIFT_BINS; i++)
        d->bin[i].used = false;
    d->width *= 2;
}

void mpj_drift_add(struct mpj_drift *d, double host_s, double board_s)
{
    double board;
    double late;
    unsigned i;

    if (!d->begun) {
        d->begun = true;
        d->width = FIRST_WIDTH;
        d->host0 = host_s;
        d->board0 = board_s;
    }
    board = board_s - d->board0;
    late = (host_s - d->host0) - board;
    if (board < 0)
        return;
    while (board >= d->width * MPJ_DRIFT_BINS)
        widen(d);
    i = (unsigned)(board / d->width);
    if (!d->bin[i].used || late < d->bin[i].late) {
        d->bin[i].used = true;
        d->bin[i].board = board;
        d->bin[i].late = late;
    }
}

bool mpj_drift_get(const struct mpj_drift *d, struct mpj_drift_result *out)
{
    double n = 0.0;
    double sx = 0.0;
    double sy = 0.0;
    double sxx = 0.0;
    double sxy = 0.0;
    double rest = 0.0;
    double first = -1.0;
    double last = 0.0;
    double slope;

    for (unsigned i = 0; i < MPJ_DRIFT_BINS; i++) {
        if (!d->bin[i].used)
            continue;
        n += 1.0;
        sx += d->bin[i].board;
        sy += d->bin[i].late;
        first = first < 0 ? d->bin[i].board : first;
        last = d->bin[i].board;
    }
    if (n < BINS_LEAST || last - first < SPAN_LEAST)
        return false;
    for (unsigned i = 0; i < MPJ_DRIFT_BINS; i++) {
        const double x = d->bin[i].board - sx / n;
        if (!d->bin[i].used)
            continue;
        sxx += x * x;
        sxy += x * (d->bin[i].late - sy / n);
    }
    slope = sxy / sxx;
    for (unsigned i = 0; i < MPJ_DRIFT_BINS; i++) {
        const double off = d->bin[i].late - sy / n - slope * (d->bin[i].board - sx / n);
        if (d->bin[i].used)
            rest += off * off;
    }
    /* the host's time is the board's times (1 + slope) */
    out->speed = 1.0 / (1.0 + slope);
    out->ppm = -slope / (1.0 + slope) * 1e6;
    out->error = 2.0 * sqrt(rest / (n - 2.0) / sxx) * 1e6;
    out->span_s = last - first;
    return true;
}
