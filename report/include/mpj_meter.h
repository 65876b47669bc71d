/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second opinion on power: what an external meter has said beside the tile's ADC, and where its
 * clock stands to the target's, found from the edges of the power itself.
 */
#ifndef MPJ_METER_H
#define MPJ_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

#define MPJ_METER_SAMPLES_MAX (16U << 20) /* of a meter: more is not read */

/* Power over time, ascending: seconds of its own clock, watts. */
struct mpj_power {
    size_t n;
    double *time_s, *watts;
};

struct mpj_meter {
    bool present;
    size_t samples;
    double offset_s; /* its clock when the target's stood at 0 ... */
    double skew_ppm; /* ... and how much faster it is: meter = offset + (1 + skew / 1e6) * target */
    double gain;     /* W that it shows more for each W more of the ADC */
    double correlation;         /* of both after that, 0 to 1 */
    double power_mw, energy_uj; /* of the run, by the meter */
    double adc_percent;         /* meter less ADC, of the ADC */
    char problem[512];          /* why there is nothing of the above; "": there is */
};

/*
 * Reads lines "TIME WATTS", separated by spaces, tabs, commas or semicolons; what follows is
 * ignored, so are lines that do not begin with a number (headings, comments) and a last line
 * without its end. Time may have any origin and ascends; watts are -1e6 to 1e6. MPJ_E_LOG with
 * NAME:LINE and what is wrong; MPJ_E_NOMEM. Free with mpj_power_free(), after an error too.
 */
int mpj_meter_read(struct mpj_power *out, FILE *f, const char *name, struct mpj_err *err);
void mpj_power_free(struct mpj_power *p);

/*
 * Finds offset and skew (2000 ppm at most), and with them the meter's energy from begin to end
 * (seconds of the target's clock, those of the ADC's samples). adc_uj: the ADC's for the same time.
 * Least squares over means of intervals, after a search for the best correlation. MPJ_E_LOG with
 * one line when that is not certain: no edges, another power, one that repeats itself.
 */
int mpj_meter_align(struct mpj_meter *out, const struct mpj_power *meter,
                    const struct mpj_power *adc, double begin, double end, double adc_uj,
                    struct mpj_err *err);

#endif
