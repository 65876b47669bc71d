/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * L220 level-2 cache controller: on/off, maintenance, two event counters.
 *
 * One unit for all cores: callers serialise. The maintenance functions poll and
 * are for start-up, not for interrupt handlers; the counter functions may be
 * called from handlers.
 */
#ifndef HAL_L2CC_H
#define HAL_L2CC_H

#include <stdbool.h>
#include <stdint.h>

#define HAL_L2CC_COUNTERS 2U

/* Cache ID register. */
uint32_t hal_l2cc_id(void);
bool hal_l2cc_enabled(void);
/* Sets the geometry (1 MB, 8 ways), invalidates everything and switches on. Does nothing when
 * already on. 0, or HAL_ETIMEOUT when the invalidation does not end. */
int hal_l2cc_enable(void);
/* Writes every dirty line back. 0 or HAL_ETIMEOUT. */
int hal_l2cc_clean_all(void);
/* The same, and empties it. */
int hal_l2cc_clean_invalidate_all(void);

/* Stops and zeroes both counters and programs event[i] into counter i (numbers of the event
 * table, 0 for none). irq: an overflow of either counter interrupts (ID 61). */
void hal_l2cc_mon_setup(const uint8_t event[HAL_L2CC_COUNTERS], bool irq);
/* True when the counters' configuration reads back as event[]: false where they are missing. */
bool hal_l2cc_mon_answers(const uint8_t event[HAL_L2CC_COUNTERS]);
void hal_l2cc_mon_start(void);
void hal_l2cc_mon_stop(void);
/* Counter i, 0 or 1. */
uint32_t hal_l2cc_mon_read(unsigned i);
/* True when the controller's event interrupt is raised; both counters share one flag. */
bool hal_l2cc_mon_overflow(void);
void hal_l2cc_mon_overflow_clear(void);
/* Interrupt ID of the event counters. */
unsigned hal_l2cc_mon_irq(void);

#endif
