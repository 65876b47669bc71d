/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events by number and by name (tile_events.h has the tables). Firmware, link, store, command and
 * reports use these names and no other.
 *
 * Freestanding: usable on the target and on the host.
 */
#ifndef MPJ_EVENTS_H
#define MPJ_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "tile_events.h"

/* Numbers are those the hardware registers take; they are unique per source. */
enum mpj_event_number {
#define MPJ_EVENT_ENUM(ident, number, name, unit, meaning) MPJ_EVENT_##ident = (number),
    TILE_PMU_EVENTS(MPJ_EVENT_ENUM) TILE_SCU_EVENTS(MPJ_EVENT_ENUM) TILE_L2_EVENTS(MPJ_EVENT_ENUM)
#undef MPJ_EVENT_ENUM
};

/* Index of each in mpj_event_table(). */
enum mpj_event_row {
#define MPJ_EVENT_ENUM(ident, number, name, unit, meaning) MPJ_ROW_##ident,
    TILE_PMU_EVENTS(MPJ_EVENT_ENUM) TILE_SCU_EVENTS(MPJ_EVENT_ENUM) TILE_L2_EVENTS(MPJ_EVENT_ENUM)
#undef MPJ_EVENT_ENUM
        MPJ_EVENT_ROWS
};

/* A selector that selects nothing: the counter stays off and is not reported. */
#define MPJ_EVENT_NONE 0xffffU

enum mpj_event_source {
    MPJ_SOURCE_PMU = 0, /* one monitor per core, two counters plus the cycle counter */
    MPJ_SOURCE_SCU = 1, /* one, eight counters */
    MPJ_SOURCE_L2 = 2,  /* one, two counters */
    MPJ_SOURCE_COUNT = 3,
};

#define MPJ_PMU_COUNTERS TILE_PMU_COUNTERS
#define MPJ_SCU_COUNTERS TILE_SCU_COUNTERS
#define MPJ_L2_COUNTERS  TILE_L2_COUNTERS

struct mpj_event_info {
    uint16_t number;
    uint8_t source; /* enum mpj_event_source */
    const char *name;
    const char *unit; /* "events" or "cycles" */
    const char *meaning;
};

/* Returns every event in table order: PMU, SCU, L2; their number in *count. Static storage. */
const struct mpj_event_info *mpj_event_table(size_t *count);

/* Returns the event of that number; NULL when the source has no such event. */
const struct mpj_event_info *mpj_event_find(enum mpj_event_source source, uint32_t number);

/* Returns the event of that name (len bytes, need not be terminated); NULL when there is none. */
const struct mpj_event_info *mpj_event_by_name(const char *name, size_t len);

#endif
