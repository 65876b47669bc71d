/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_events.h"

#include <string.h>

static const struct mpj_event_info table[] = {
#define PMU(ident, number, name, unit, meaning) {number, MPJ_SOURCE_PMU, name, unit, meaning},
#define SCU(ident, number, name, unit, meaning) {number, MPJ_SOURCE_SCU, name, unit, meaning},
#define L2(ident, number, name, unit, meaning)  {number, MPJ_SOURCE_L2, name, unit, meaning},
    TILE_PMU_EVENTS(PMU) TILE_SCU_EVENTS(SCU) TILE_L2_EVENTS(L2)
#undef PMU
#undef SCU
#undef L2
};

#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

const struct mpj_event_info *mpj_event_table(size_t *count)
{
    *count = TABLE_COUNT;
    return table;
}

const struct mpj_event_info *mpj_event_find(enum mpj_event_source source, uint32_t number)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (table[i].source == source && table[i].number == number)
            return &table[i];
    }
    return NULL;
}

const struct mpj_event_info *mpj_event_by_name(const char *name, size_t len)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0)
            return &table[i];
    }
    return NULL;
}
