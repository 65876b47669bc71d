/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of a run (mpj_settings.h) as a table for iteration. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/run.h"

struct setting {
    unsigned since;     /* version of the store */
    const char *column; /* of the table pass */
    size_t result;      /* offset in struct mpj_run: uint32_t */
    const char *object; /* member of the JSON that contains it; "": the root */
    const char *key;    /* its name there */
    bool is_time;       /* microseconds, in JSON seconds; otherwise a count */
};

extern const struct setting settings[];
extern const unsigned setting_count;

/* Returns the columns of a store of that version, "adc_period_us, ..." with `after` after each
 * name; a column that the store does not have is 0. malloc()ed; NULL: out of memory. */
char *setting_columns(const char *after, unsigned version);
/* Returns the place of a setting in a run. */
uint32_t *setting_in(struct mpj_run *run, const struct setting *s);
/* Returns the value of a setting; 0: not known. */
uint32_t setting_get(const struct mpj_run *run, const struct setting *s);

#endif
