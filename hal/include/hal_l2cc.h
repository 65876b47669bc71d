/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * L220 level-2 cache controller (DDI 0329): on and off, maintenance, two event counters.
 *
 * One unit for all cores: callers serialise. The maintenance functions poll and are for start-up,
 * not for interrupt handlers; the counter functions may be called from handlers.
 */
#ifndef HAL_L2CC_H
#define HAL_L2CC_H

#include <stdbool.h>
#include <stdint.h>

#define HAL_L2CC_COUNTERS 2U

/* Returns the Cache ID Register; 0 on a board without the cache (BOARD_L220_BYTES is 0). There
 * every function below has no effect and returns success, counts are 0, and the interrupt ID is
 * 0. */
uint32_t hal_l2cc_id(void);

/* Returns true if the cache is on. */
bool hal_l2cc_enabled(void);

/* Sets the geometry (BOARD_L220_BYTES in BOARD_L220_WAYS; Auxiliary Control Register as Linux sets
 * it), invalidates everything and switches the cache on; no effect when it is on. Returns 0, or
 * HAL_ETIMEOUT when the invalidation does not end. */
int hal_l2cc_enable(void);

/* Writes every dirty line back. Returns 0 or HAL_ETIMEOUT. */
int hal_l2cc_clean_all(void);

/* Writes every dirty line back and empties the cache. Returns 0 or HAL_ETIMEOUT. */
int hal_l2cc_clean_invalidate_all(void);

/* Stops and zeroes both counters and lets counter i count event[i] (numbers of tile_events.h, 0 for
 * none). irq: an overflow of either counter interrupts. */
void hal_l2cc_mon_setup(const uint8_t event[HAL_L2CC_COUNTERS], bool irq);

/* Returns true if the counters' configuration reads back as event[]; false on a board without
 * them. */
bool hal_l2cc_mon_answers(const uint8_t event[HAL_L2CC_COUNTERS]);

/* Lets both counters run; their contents are kept. */
void hal_l2cc_mon_start(void);

/* Stops both counters; their contents are kept. */
void hal_l2cc_mon_stop(void);

/* Returns counter i, 0 or 1. */
uint32_t hal_l2cc_mon_read(unsigned i);

/* Returns true while the event interrupt is pending; both counters share one flag. */
bool hal_l2cc_mon_overflow(void);

/* Clears that flag. */
void hal_l2cc_mon_overflow_clear(void);

/* Returns the interrupt ID of the event counters, 0: not connected. */
unsigned hal_l2cc_mon_irq(void);

#endif
