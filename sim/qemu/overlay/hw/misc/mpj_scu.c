/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ARM11 MPCore SCU: event monitors and CPU status. */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "hw/misc/mpj_scu.h"
#include "qemu/bitops.h"
#include "qemu/timer.h"

#define MON_ENABLE 1U
#define MON_RESET  2U

uint64_t mpj_device_now(void)
{
    if (current_cpu) {
        return mpj_core_now(current_cpu);
    }
    return mpj_ns_to_cycles(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

static uint64_t scu_source(const MpjScu *s, int i, uint64_t now)
{
    return s->event[i] < MPJ_SCU_COUNT
               ? mpj_scu_event(mpj.chip, s->event[i], now) : 0;
}

static void scu_fold(MpjScu *s)
{
    uint64_t now;

    if (!mpj_on() || !(s->control & MON_ENABLE)) {
        return;
    }
    mpj_sync_all();
    now = mpj_device_now();
    for (int i = 0; i < MPJ_SCU_MONITORS; i++) {
        if (mpj_counter_fold(&s->n[i], scu_source(s, i, now), 1)) {
            s->flags |= 1U << i;
        }
    }
}

static void scu_start(MpjScu *s)
{
    uint64_t now;

    if (!mpj_on()) {
        return;
    }
    mpj_sync_all();
    now = mpj_device_now();
    for (int i = 0; i < MPJ_SCU_MONITORS; i++) {
        mpj_counter_start(&s->n[i], scu_source(s, i, now));
    }
}

static void scu_update(MpjScu *s)
{
    unsigned enabled = extract32(s->control, 8, 8);
    uint64_t room = UINT64_MAX;

    for (int i = 0; i < MPJ_SCU_MONITORS; i++) {
        qemu_set_irq(s->irq[i], (s->flags & enabled) >> i & 1);
        if (enabled & ~s->flags & (1U << i)) {
            room = MIN(room, mpj_counter_room(&s->n[i]));
        }
    }
    if (!mpj_on() || !(s->control & MON_ENABLE) || room == UINT64_MAX) {
        timer_del(s->timer);
    } else {
        timer_mod_ns(s->timer, mpj_counter_deadline(mpj_device_now(), room));
    }
}

static void scu_timer(void *opaque)
{
    scu_fold(opaque);
    scu_update(opaque);
}

bool mpj_scu_read(MpjScu *s, unsigned offset, uint32_t *value)
{
    switch (offset) {
    case 0x08:
        *value = s->status;
        return true;
    case 0x10:
        scu_fold(s);
        scu_update(s);
        *value = s->control | (s->flags << 16);
        return true;
    case 0x14:
    case 0x18:
        *value = ldl_le_p(&s->event[offset - 0x14]);
        return true;
    case 0x1c ... 0x38:
        scu_fold(s);
        scu_update(s);
        *value = s->n[(offset - 0x1c) / 4].value;
        return true;
    default:
        return false;
    }
}

static void status_write(MpjScu *s, uint32_t value)
{
    uint32_t changed = s->status ^ value;

    s->status = value;
    for (unsigned i = 0; mpj_on() && i < MPJ_CORES; i++) {
        CPUState *cpu = qemu_get_cpu(i);

        if (cpu && extract32(changed, 2 * i, 2)) {
            mpj_sync(cpu);
            mpj_power_state(mpj.chip, i, extract32(value, 2 * i, 2));
        }
    }
}

bool mpj_scu_write(MpjScu *s, unsigned offset, uint32_t value, uint32_t lanes)
{
    uint32_t old;

    switch (offset) {
    case 0x08:
        status_write(s, ((s->status & ~lanes) | (value & lanes)) & 0xff);
        return true;
    case 0x10:
        scu_fold(s);
        s->flags &= ~extract32(value & lanes, 16, 8);
        old = s->control;
        s->control = ((old & ~lanes) | (value & lanes)) & 0xff01;
        if (value & lanes & MON_RESET) {
            for (int i = 0; i < MPJ_SCU_MONITORS; i++) {
                s->n[i].value = 0;
            }
        }
        if ((value & lanes & MON_RESET) || ((old ^ s->control) & MON_ENABLE)) {
            scu_start(s);
        }
        scu_update(s);
        return true;
    case 0x14:
    case 0x18:
        scu_fold(s);
        old = ldl_le_p(&s->event[offset - 0x14]);
        stl_le_p(&s->event[offset - 0x14], (old & ~lanes) | (value & lanes));
        scu_start(s);
        scu_update(s);
        return true;
    case 0x1c ... 0x38:
        scu_fold(s);
        old = s->n[(offset - 0x1c) / 4].value;
        s->n[(offset - 0x1c) / 4].value = (old & ~lanes) | (value & lanes);
        scu_update(s);
        return true;
    default:
        return false;
    }
}

void mpj_scu_init(MpjScu *s)
{
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, scu_timer, s);
}

void mpj_scu_reset(MpjScu *s)
{
    s->status = 0;
    s->control = 0;
    s->flags = 0;
    memset(s->event, 0, sizeof(s->event));
    memset(s->n, 0, sizeof(s->n));
    timer_del(s->timer);
}

const VMStateDescription vmstate_mpj_scu = {
    .name = "mpj-scu",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(status, MpjScu),
        VMSTATE_UINT32(control, MpjScu),
        VMSTATE_UINT32(flags, MpjScu),
        VMSTATE_UINT8_ARRAY(event, MpjScu, MPJ_SCU_MONITORS),
        VMSTATE_STRUCT_ARRAY(n, MpjScu, MPJ_SCU_MONITORS, 1,
                             vmstate_mpj_counter, MpjCounter),
        VMSTATE_TIMER_PTR(timer, MpjScu),
        VMSTATE_END_OF_LIST()
    }
};
