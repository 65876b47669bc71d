/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributes events to passes: the hardware counts few at a time. */
#ifndef HIL_PLAN_H
#define HIL_PLAN_H

#include <stdbool.h>

#include "base/errors.h"
#include "mpj_records.h"

#define MPJ_PLAN_EVENTS_MAX 64U /* rows of mpj_event_table() */

/* The events wanted, by index into mpj_event_table(). */
struct mpj_selection {
    bool want[MPJ_PLAN_EVENTS_MAX];
};

/* Adds the events of a comma-separated list of names. MPJ_E_USAGE names the first unknown one. */
int mpj_selection_parse(struct mpj_selection *selection, const char *list, struct mpj_err *err);
void mpj_selection_all(struct mpj_selection *selection);
/*
 * Fills the monitors that the selection leaves open, one by one: a monitor without a wanted event
 * counts a useful default (instr and dcache_rd_miss; transfers between cores and to memory; L2
 * reads and their hits), since counting costs nothing.
 */
void mpj_selection_defaults(struct mpj_selection *selection);

/* Returns the number of passes that the selection takes; at least 1. rotating: core events are
 * multiplexed within each. */
unsigned mpj_plan_passes(const struct mpj_selection *selection, bool rotating);
/* Puts all core events of the selection into pairs that are multiplexed; the last of an odd number
 * is paired with the first. Those that do not fit into MPJ_ROTATION_MAX pairs are left out: the
 * table has fewer. */
void mpj_plan_rotation(const struct mpj_selection *selection, uint32_t period_ms,
                       struct mpj_rotation_rec *out);
/* Sets the selectors of c for that pass (0, 1, ...), the same pair on every core, and in its flags
 * those that make all passes take the same time. */
void mpj_plan_select(const struct mpj_selection *selection, unsigned pass,
                     struct mpj_config_rec *c);

#endif
