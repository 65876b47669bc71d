/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power by an external meter, beside the board's ADC or where there is none: what it has said, and
 * the offset of its clock from the target's, found from the edges of the power itself.
 */
#ifndef MPJ_METER_H
#define MPJ_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

#define MPJ_METER_SAMPLES_MAX  (16U << 20) /* of a meter: more is not read */
#define MPJ_METER_CHANNELS_MAX 8U
#define MPJ_METER_NAME_SIZE    32U
#define MPJ_METER_UNIT_SIZE    12U

/* Power over time, ascending: seconds of its own clock, watts. */
struct mpj_power {
    size_t n;
    double *time_s, *watts;
};

/* What a meter has said: the power of each channel at the same moments, ascending. */
struct mpj_meter_stream {
    size_t n;
    double *time_s;
    bool named; /* it has a heading; otherwise one channel "", in watts */
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
    double offset_s; /* its clock when the target's stood at 0 ... */
    double skew_ppm; /* ... and how much faster it is: meter = offset + (1 + skew / 1e6) * target */
    double gain;     /* W that it shows more for each W more of the ADC; by_window: W that it shows
                        more while the program runs */
    double correlation;         /* of both after that, 0 to 1 */
    double power_mw, energy_uj; /* of the run, by the meter's first channel */
    double adc_percent;         /* meter less ADC, of the ADC; NAN: by_window */
    unsigned channels;          /* that a heading names; 0: there is none */
    struct mpj_meter_channel {
        char name[MPJ_METER_NAME_SIZE], unit[MPJ_METER_UNIT_SIZE];
        double power_mw, energy_uj; /* of the run */
        double error_percent;       /* of both, as the heading states; NAN: not stated */
    } channel[MPJ_METER_CHANNELS_MAX];
    char problem[512]; /* why there is nothing of the above; "": there is */
};

/*
 * Reads lines "TIME WATTS", separated by spaces, tabs, commas or semicolons; what follows is
 * ignored, so are lines that do not begin with a number (headings, comments) and a last line
 * without its end. Time may have any origin and ascends; watts are -1e6 to 1e6.
 * A heading "time:s NAME:UNIT ..." before the samples names the columns of several channels: time
 * in s, ms or us, then W, V or A, with m, u or no prefix. A channel has watts, or volts and
 * amperes. NAME:UNIT:ERROR% states the error of a column, above 0 and at most 100; that of volts
 * times amperes is the sum of both. MPJ_E_LOG with NAME:LINE and what is wrong, or the channel
 * whose mean power a board does not draw; MPJ_E_NOMEM. Free with mpj_meter_free(), after an error
 * too.
 */
int mpj_meter_read(struct mpj_meter_stream *out, FILE *f, const char *name, struct mpj_err *err);
void mpj_meter_free(struct mpj_meter_stream *m);
void mpj_power_free(struct mpj_power *p);
/* A channel, as a view: nothing to free. */
struct mpj_power mpj_meter_power(const struct mpj_meter_stream *m, unsigned channel);
/*
 * Finds offset and skew (2000 ppm at most), and with them the meter's energy from begin to end
 * (seconds of the target's clock, those of the ADC's samples). adc_uj: the ADC's for the same time.
 * Least squares over means of intervals, after a search for the best correlation. MPJ_E_LOG with
 * one line when that is not certain: no edges, another power, one that repeats itself.
 */
int mpj_meter_align(struct mpj_meter *out, const struct mpj_power *meter,
                    const struct mpj_power *adc, double begin, double end, double adc_uj,
                    struct mpj_err *err);
/*
 * The same where nothing else measures: finds the length seconds during which the program ran, from
 * 0 on, as the part of the stream in which the power is another one than just before and after.
 * No skew is looked for. MPJ_E_LOG with one line when no part, or more than one, is like that.
 */
int mpj_meter_window(struct mpj_meter *out, const struct mpj_power *meter, double length,
                     struct mpj_err *err);
/* Sets the channels of an aligned meter, from begin to end. MPJ_E_NOMEM. */
int mpj_meter_channels(struct mpj_meter *out, const struct mpj_meter_stream *m, double begin,
                       double end, struct mpj_err *err);

#endif
