/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of a self-test, as a table and as JSON. */
#ifndef SELFTEST_SHOW_H
#define SELFTEST_SHOW_H

#include <stdio.h>

#include "hil/selftest_items.h"

/* The target of a test. Strings may be NULL. */
struct selftest_about {
    const char *target, *calibration, *firmware_sha256;
    uint32_t cores, clock_hz; /* 0: it did not say */
    uint32_t bit_rate;        /* of a serial port; 0: none */
    const char *failure;      /* why the run ended before its time; NULL: it did not */
};

/* Prints a table for a terminal of 80 columns; all: the firmware's notes as well. */
void selftest_text(const struct mpj_selftest *t, const struct selftest_about *about, bool all,
                   FILE *out);
/* Writes "mpjoule-selftest/1" (docs/man/mpjoule-selftest.md). MPJ_E_OK, MPJ_E_NOMEM or MPJ_E_IO. */
int selftest_json(const struct mpj_selftest *t, const struct selftest_about *about, FILE *out,
                  struct mpj_err *err);

#endif
