/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board's clock against this machine's, from when its records arrive. A record arrives late by an
 * unknown and changing time, but never early: of each stretch of time the one that was fastest
 * counts, and a straight line through those gives the drift. Constant memory.
 */
#ifndef MPJ_DRIFT_H
#define MPJ_DRIFT_H

#include <stdbool.h>

#define MPJ_DRIFT_BINS 128U

/* Treat as opaque; zeroed is empty. */
struct mpj_drift {
    double width; /* of a bin, seconds of the board */
    double host0, board0;
    bool begun;
    struct {
        bool used;
        double board, late; /* seconds since the first record; host - board */
    } bin[MPJ_DRIFT_BINS];
};

struct mpj_drift_result {
    double ppm;    /* positive: the board's clock is the faster one */
    double error;  /* ppm, two standard errors */
    double span_s; /* over which it was seen */
    double speed;  /* board's seconds in one of the host's */
};

/* A record of this time of the board has just arrived; seconds of either clock since whenever. */
void mpj_drift_add(struct mpj_drift *d, double host_s, double board_s);

/* False: too little was seen (10 s at least, in 8 bins). A speed that is not about 1 means that
 * the board's time is none: an emulator. The other figures are then meaningless. */
bool mpj_drift_get(const struct mpj_drift *d, struct mpj_drift_result *out);

#endif
