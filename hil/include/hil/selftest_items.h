/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges the output of the self-test firmware (apps/tools/selftest/selftest.h), item by item. Fed
 * with its output while it runs; can be read at any moment, also when the run ended early.
 */
#ifndef HIL_SELFTEST_ITEMS_H
#define HIL_SELFTEST_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errors.h"
#include "tile_machine.h"

#define MPJ_SELFTEST_VALUES 8U /* of one item: cores, counters, channels */

enum mpj_selftest_verdict {
    MPJ_SELFTEST_OK,      /* every value is within its bounds */
    MPJ_SELFTEST_DIFFERS, /* it works, but differs from the firmware's assumption: change has the
                             place */
    MPJ_SELFTEST_FAILS,   /* nothing is there, or it does not work */
    MPJ_SELFTEST_SKIPPED, /* skipped, for the reason given */
};
#define MPJ_SELFTEST_VERDICTS 4U

struct mpj_selftest_item {
    char *name;   /* "pmu.irq" */
    char *unit;   /* "" for a mere number; "hex", "mask" */
    char *change; /* what to correct: "FILE:NAME"; NULL: nothing */
    char *text;   /* one line */
    char *reason; /* skipped: why; failed by a fault: which; NULL */
    enum mpj_selftest_verdict verdict;
    int64_t low, high; /* INT64_MAX: no upper bound */
    bool measured;     /* there are values */
    bool absent;       /* skipped since boards of this kind have no such device */
    unsigned values;
    int64_t value[MPJ_SELFTEST_VALUES];
};

struct mpj_selftest {
    char board[TILE_NAME_SIZE]; /* whose header is to be changed; TILE_BOARD_DEFAULT at first */
    struct mpj_selftest_item *item;
    size_t items;
    char **note; /* free text of the firmware */
    size_t notes;
    char *part;    /* its last part */
    bool complete; /* the firmware reported its end */
    size_t lines;  /* items received: to compare with the number that it reports as sent */

    char *rest; /* of a line that is not whole yet */
    size_t rest_len;
    uint32_t pattern; /* generator of the pattern that comes back */
    uint64_t right, wrong;
    bool no_memory;
};

/* Creates an empty one; NULL: out of memory. Free it with mpj_selftest_free(), NULL is allowed. */
struct mpj_selftest *mpj_selftest_new(void);
void mpj_selftest_free(struct mpj_selftest *t);

/* Takes output of the firmware: its stdout (lines), its stderr (the pattern). Any pieces. Lines
 * that are not items are ignored. */
void mpj_selftest_output(struct mpj_selftest *t, const void *data, size_t len);
void mpj_selftest_pattern(struct mpj_selftest *t, const void *data, size_t len);

/* Writes the pattern that the firmware expects on stdin, from its beginning. */
void mpj_selftest_make_pattern(uint8_t *out, size_t len);

/* Adds an item that was measured by the host. Strings are copied. unit and change may be NULL.
 * MPJ_E_OK or MPJ_E_NOMEM. */
int mpj_selftest_add(struct mpj_selftest *t, const char *name, int64_t value, int64_t low,
                     int64_t high, const char *unit, const char *change, const char *text,
                     struct mpj_err *err);

/* Counts the items of each verdict, by enum mpj_selftest_verdict. True: there are items, the
 * firmware reached its end and no item is missing, and all are ok but those of absent devices. */
bool mpj_selftest_count(const struct mpj_selftest *t, unsigned count[MPJ_SELFTEST_VERDICTS]);

/* Returns the name of a verdict: "ok", "differs", "fails", "skipped". */
const char *mpj_selftest_verdict_name(enum mpj_selftest_verdict v);

#endif
