/* SPDX-License-Identifier: GPL-2.0-or-later */
/* L220: event counters, their interrupt, and maintenance; part of the l2x0 device. */
#ifndef HW_MISC_MPJ_L220_H
#define HW_MISC_MPJ_L220_H

#include "hw/misc/mpj_counter.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "tile_events.h"

#define MPJ_L220_COUNTERS TILE_L2_COUNTERS

typedef struct MpjL220 {
    uint32_t control; /* bit 0: count */
    uint32_t config[MPJ_L220_COUNTERS];
    MpjCounter n[MPJ_L220_COUNTERS];
    uint32_t mask;
    uint32_t raw;
    QEMUTimer *timer;
    qemu_irq irq;
} MpjL220;

extern const VMStateDescription vmstate_mpj_l220;

void mpj_l220_init(MpjL220 *s);
void mpj_l220_reset(MpjL220 *s);
void mpj_l220_enable(bool on);
/*
 * Access registers 0x200..0x220 and maintenance at 0x730..0x7ff; false: no such
 * register.
 */
bool mpj_l220_read(MpjL220 *s, unsigned offset, uint32_t *value);
bool mpj_l220_write(MpjL220 *s, unsigned offset, uint32_t value);

#endif
