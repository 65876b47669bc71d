/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits by object. */
#ifndef WAITS_H
#define WAITS_H

#include <stdio.h>

#include "report/run.h"

/* All waits for an object, of all threads and places; without an object, of a kind. */
struct wait_group {
    const struct mpj_wait_result **wait; /* the longest total first */
    unsigned waits, threads;
    uint64_t count;
    double total_s, longest_s;
};

struct wait_groups {
    struct wait_group *group; /* the longest total first */
    unsigned n;
    const struct mpj_wait_result **wait; /* the array they point into */
};

/* Groups the waits. To be freed by waits_free(), also after an error. */
int waits_group(const struct mpj_run *run, struct wait_groups *out, struct mpj_err *err);
void waits_free(struct wait_groups *g);
/* Formats "lock", "0x00009000", "-" of a wait. Returns text. */
const char *waits_object(const struct mpj_wait_result *w, char *text, size_t size);

#endif
