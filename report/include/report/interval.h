/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prediction intervals of energy models (docs/energy-model.md). */
#ifndef REPORT_INTERVAL_H
#define REPORT_INTERVAL_H

enum mpj_interval_of { MPJ_OF_PROGRAM, MPJ_OF_THREAD, MPJ_OF_FUNCTION, MPJ_INTERVALS };

/*
 * Prediction interval of a model for one board: half of it is a share of the energy above the
 * constant, to which least_mw is added. Both powers are those of a core.
 */
struct mpj_interval {
    double level; /* share of unseen cases inside, such as 0.95; 0: there is no interval */
    double constant_mw, least_mw;
    double share[MPJ_INTERVALS]; /* NAN: none */
};

/*
 * Returns half of the interval [uJ] of an energy by the model. core_s: the core time it belongs to:
 * time on cores, or for a program its time on all cores of the board, busy or idle. A region, and a
 * thread's part of it, are threads here. NAN: there is no interval.
 */
double mpj_interval_uj(const struct mpj_interval *i, enum mpj_interval_of of, double energy_uj,
                       double core_s);

#endif
