/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of a run: numbers that are an option of the command line, go to the target in CONFIG and
 * come back, as they are in effect, in RUN_BEGIN. Each is one row of this table, from which are
 * generated
 *   - members of struct mpj_config_rec and struct mpj_run_rec, their encoders and decoders;
 *   - the option of `run`, `model campaign` and `predictor`, and of the commands that hand it on;
 *   - the member of struct run_options, its way into CONFIG, into orders for other machines and
 *     into the labels of a campaign;
 *   - the column of the store's table `pass`, the member of struct mpj_run, the member of the JSON.
 *
 * To add one: docs/extending.md, "A setting of a run".
 *
 * Freestanding: usable on the target and on the host.
 */
#ifndef MPJ_SETTINGS_H
#define MPJ_SETTINGS_H

#include "tile_limits.h"

/*
 * X(kind, option, field, since, name, least, most, help, object, key)
 * kind:   MS     microseconds; the option takes milliseconds, JSON has seconds
 *         COUNT  a whole number
 *         32 bits; 0: not given, the target has a default
 * option: member of struct run_options, key of orders and label of a campaign
 * field:  member of the records and of struct mpj_run, column of the store
 * since:  version of the store that first has it; an older store has 0
 * name:   of the option, without its dashes
 * least, most: bounds of the option, in the unit of the member
 * help:   the option's line in --help
 * object: member of the results' JSON that contains it, "": the root
 * key:    its name there; a value of 0 is left out
 */
#define MPJ_SETTINGS(X)                                                                            \
    X(MS, sample_us, adc_period_us, 3, "sample-ms", TILE_SAMPLE_US_MIN, TILE_SAMPLE_US_MAX,        \
      "ADC sampling period", "adc", "sample_s") /* returned as 0: not sampled */

/* Settings added after protocol version 1: at the end of both records. */
#define MPJ_SETTINGS_LATER(X)

#define MPJ_SETTINGS_ALL(X) MPJ_SETTINGS(X) MPJ_SETTINGS_LATER(X)

#endif
