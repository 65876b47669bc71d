/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heading of a meter's lines: time:s core:W:0.5% board:V board:mA. */
#ifndef METER_HEAD_H
#define METER_HEAD_H

#include "report/meter.h"

enum meter_quantity { METER_WATTS, METER_VOLTS, METER_AMPERES };

struct meter_head {
    double time_scale; /* seconds in one of its units */
    unsigned columns;  /* after the time */
    struct {
        unsigned channel;
        enum meter_quantity quantity;
        double scale; /* to W, V, A */
    } column[2U * MPJ_METER_CHANNELS_MAX];
    struct {
        bool watts, volts, amperes; /* it has such a column */
        char prefixed[3][4];        /* units as they are written, by quantity */
        double error_percent[3];    /* by quantity; NAN: not stated */
    } channel[MPJ_METER_CHANNELS_MAX];
};

struct meter_row {
    double time_s;
    double watts[MPJ_METER_CHANNELS_MAX];
};

/* Sets the columns used without a heading: seconds and watts, one channel without a name. */
void meter_head_default(struct meter_head *h, struct mpj_meter_stream *m);
/* True if a line names columns: it begins with "time:", optionally after a '#'. */
bool meter_head_is(const char *line);
/* Reads that line, and sets names and units of the channels. MPJ_E_LOG with the position and the
 * fault. */
int meter_head_read(struct meter_head *h, struct mpj_meter_stream *m, char *line, const char *where,
                    struct mpj_err *err);

#endif
