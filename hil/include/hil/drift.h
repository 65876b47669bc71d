/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a board's clock with this machine's, by the arrival of its records. A record arrives
 * late by an unknown and changing time, but never early: of each stretch of time the fastest record
 * counts, and a straight line through those gives the drift. Constant memory.
 */
#ifndef HIL_DRIFT_H
#define HIL_DRIFT_H

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
    double span_s; /* time over which it was observed */
    double speed;  /* board's seconds in one of the host's */
};

/* Adds a record with this time of the board, which has just arrived; seconds of either clock, from
 * any origin. */
void mpj_drift_add(struct mpj_drift *d, double host_s, double board_s);

/* Writes the drift. False: too little was observed (10 s at least, in 8 bins). A speed that is not
 * about 1 means that the board's time is not real time: an emulator. The other figures are then
 * meaningless. */
bool mpj_drift_get(const struct mpj_drift *d, struct mpj_drift_result *out);

#endif
