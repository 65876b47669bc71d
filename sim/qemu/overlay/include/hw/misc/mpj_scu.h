/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SCU event monitors MN0..MN7 and CPU status; part of the arm11-scu device. */
#ifndef HW_MISC_MPJ_SCU_H
#define HW_MISC_MPJ_SCU_H

#include "hw/misc/mpj_counter.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "tile_events.h"

#define MPJ_SCU_MONITORS TILE_SCU_COUNTERS

typedef struct MpjScu {
    uint32_t status;  /* CPU status, 2 bits a core */
    uint32_t control; /* monitor control: enable and interrupt enables */
    uint32_t flags;   /* overflow, bit per monitor */
    uint8_t event[MPJ_SCU_MONITORS];
    MpjCounter n[MPJ_SCU_MONITORS];
    QEMUTimer *timer;
    qemu_irq irq[MPJ_SCU_MONITORS];
} MpjScu;

extern const VMStateDescription vmstate_mpj_scu;

void mpj_scu_init(MpjScu *s);
void mpj_scu_reset(MpjScu *s);
/* Access word registers 0x08 and 0x10..0x38; false: no such register. */
bool mpj_scu_read(MpjScu *s, unsigned offset, uint32_t *value);
bool mpj_scu_write(MpjScu *s, unsigned offset, uint32_t value, uint32_t lanes);

#endif
