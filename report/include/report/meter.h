/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power by an external meter, in addition to the board's ADC or in place of a missing one: its
 * readings, and the offset of its clock from the target's, found from the edges of the power
 * itself.
 */
#ifndef REPORT_METER_H
#define REPORT_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

#define MPJ_METER_SAMPLES_MAX  (16U << 20) /* of a meter: further ones are not read */
#define MPJ_METER_CHANNELS_MAX 8U
#define MPJ_METER_NAME_SIZE    32U
#define MPJ_METER_UNIT_SIZE    12U

/* Power over time, ascending: seconds of its own clock, watts. */
struct mpj_power {
    size_t n;
    double *time_s, *watts;
};

/* The readings of a meter: the power of each channel at common times, ascending. */
struct mpj_meter_stream {
    size_t n;
    double *time_s;
    bool named; /* the file has a heading; otherwise one channel "", in watts */
    unsigned channels;
    struct {
        char name[MPJ_METER_NAME_SIZE];
        char unit[MPJ_METER_UNIT_SIZE]; /* as in the heading: mW; V*mA for both columns */
        double error_percent;           /* of its power, as the heading states; NAN: not stated */
        double *watts;
    } channel[MPJ_METER_CHANNELS_MAX];
};

struct mpj_meter {
    bool present;
    bool by_window; /* there was no ADC: aligned with the length of the program */
    size_t samples;
    double offset_s; /* its clock when the target's was at 0 ... */
    double skew_ppm; /* ... and its relative rate: meter = offset + (1 + skew / 1e6) * target */
    double gain;     /* W of the meter for each W of the ADC, both as changes; by_window: W that it
                        shows more while the program runs */
    double correlation;         /* of both signals after alignment, 0 to 1 */
    double power_mw, energy_uj; /* of the run, by the meter's first channel */
    double adc_percent;         /* meter less ADC, of the ADC; NAN: by_window */
    unsigned channels;          /* named by a heading; 0: no heading */
    struct mpj_meter_channel {
        char name[MPJ_METER_NAME_SIZE], unit[MPJ_METER_UNIT_SIZE];
        double power_mw, energy_uj; /* of the run */
        double error_percent;       /* of both, as the heading states; NAN: not stated */
    } channel[MPJ_METER_CHANNELS_MAX];
    char problem[512]; /* why the members above are not set; "": they are */
};

/*
 * Reads lines "TIME WATTS", separated by spaces, tabs, commas or semicolons; further columns are
 * ignored, so are lines that do not begin with a number (headings, comments) and a last line
 * without its end. Time may have any origin and ascends; watts are -1e6 to 1e6. A heading "time:s
 * NAME:UNIT ..." before the samples names the columns of several channels: time in s, ms or us,
 * then W, V or A, with m, u or no prefix. A channel has watts, or volts and amperes.
 * NAME:UNIT:ERROR% states the error of a column, above 0 and at most 100; that of volts times
 * amperes is the sum of both. MPJ_E_LOG with NAME:LINE and the fault, or the channel whose mean
 * power a board does not draw; MPJ_E_NOMEM. Free with mpj_meter_free(), after an error too.
 */
int mpj_meter_read(struct mpj_meter_stream *out, FILE *f, const char *name, struct mpj_err *err);
void mpj_meter_free(struct mpj_meter_stream *m);
void mpj_power_free(struct mpj_power *p);
/* Returns a channel as a view: nothing to free. */
struct mpj_power mpj_meter_power(const struct mpj_meter_stream *m, unsigned channel);
/*
 * Finds offset and skew (2000 ppm at most), and from them the meter's energy from begin to end
 * (seconds of the target's clock, those of the ADC's samples). adc_uj: the ADC's energy for the
 * same time. Uses least squares over means of intervals, after a search for the best correlation.
 * MPJ_E_LOG with one line when the result is ambiguous: no edges, another power, a periodic one.
 */
int mpj_meter_align(struct mpj_meter *out, const struct mpj_power *meter,
                    const struct mpj_power *adc, double begin, double end, double adc_uj,
                    struct mpj_err *err);
/*
 * Aligns a meter without an ADC: finds the `length` seconds during which the program ran, from 0
 * on, as the part of the stream in which the power differs from that just before and after. Skew is
 * not determined. MPJ_E_LOG with one line when no part, or more than one, qualifies.
 */
int mpj_meter_window(struct mpj_meter *out, const struct mpj_power *meter, double length,
                     struct mpj_err *err);
/* Sets the channels of an aligned meter, from begin to end. MPJ_E_NOMEM. */
int mpj_meter_channels(struct mpj_meter *out, const struct mpj_meter_stream *m, double begin,
                       double end, struct mpj_err *err);

#endif
