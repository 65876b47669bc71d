/* SPDX-License-Identifier: GPL-2.0-or-later */
/* L220 event counters and maintenance operations. */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "hw/misc/mpj_l220.h"
#include "qemu/bitops.h"
#include "qemu/timer.h"

#define INT_ECNTR 1U /* event counter: overflow or increment */

enum { CONFIG_INT_OFF, CONFIG_INT_INCREMENT, CONFIG_INT_OVERFLOW };

static uint64_t l220_source(const MpjL220 *s, int i)
{
    unsigned event = extract32(s->config[i], 2, 4);

    return event < MPJ_L2_COUNT ? mpj_l2_event(mpj.chip, event) : 0;
}

static void l220_fold(MpjL220 *s)
{
    if (!mpj_on() || !(s->control & 1)) {
        return;
    }
    mpj_sync_all();
    for (int i = 0; i < MPJ_L220_COUNTERS; i++) {
        uint32_t before = s->n[i].value;
        bool wrapped = mpj_counter_fold(&s->n[i], l220_source(s, i), 1);
        unsigned mode = extract32(s->config[i], 0, 2);

        if ((mode == CONFIG_INT_OVERFLOW && wrapped) ||
            (mode == CONFIG_INT_INCREMENT && s->n[i].value != before)) {
            s->raw |= INT_ECNTR;
        }
    }
}

static void l220_start(MpjL220 *s, int i)
{
    if (mpj_on()) {
        mpj_sync_all();
        mpj_counter_start(&s->n[i], l220_source(s, i));
    }
}

static void l220_update(MpjL220 *s)
{
    uint64_t room = UINT64_MAX;

    qemu_set_irq(s->irq, (s->raw & s->mask) != 0);
    for (int i = 0; i < MPJ_L220_COUNTERS; i++) {
        switch (extract32(s->config[i], 0, 2)) {
        case CONFIG_INT_INCREMENT:
            room = 0;
            break;
        case CONFIG_INT_OVERFLOW:
            room = MIN(room, mpj_counter_room(&s->n[i]));
            break;
        }
    }
    if (!mpj_on() || !(s->control & 1) || !(s->mask & ~s->raw & INT_ECNTR) ||
        room == UINT64_MAX) {
        timer_del(s->timer);
    } else {
        timer_mod_ns(s->timer, mpj_counter_deadline(mpj_device_now(), room));
    }
}

static void l220_timer(void *opaque)
{
    l220_fold(opaque);
    l220_update(opaque);
}

void mpj_l220_enable(bool on)
{
    if (mpj_on()) {
        mpj_sync_all();
        mpj_l2_enable(mpj.chip, on);
    }
}

bool mpj_l220_read(MpjL220 *s, unsigned offset, uint32_t *value)
{
    switch (offset) {
    case 0x200:
        *value = s->control;
        return true;
    case 0x204:
    case 0x208:
        *value = s->config[offset == 0x204];
        return true;
    case 0x20c:
    case 0x210:
        l220_fold(s);
        l220_update(s);
        *value = s->n[offset == 0x20c].value;
        return true;
    case 0x214:
        *value = s->mask;
        return true;
    case 0x218:
    case 0x21c:
        l220_fold(s);
        l220_update(s);
        *value = offset == 0x218 ? s->raw & s->mask : s->raw;
        return true;
    case 0x220:
    case 0x730 ... 0x7fc: /* maintenance is over when the write is */
        *value = 0;
        return true;
    default:
        return false;
    }
}

/* Maintenance stalls the core that asks for it. */
static void l220_maintain(unsigned offset, uint32_t value)
{
    static const struct {
        uint16_t inv_op, ways_op, index_op;
        unsigned ops;
    } op[] = {
        { 0x770, 0x77c, 0, MPJ_DC_INV },
        { 0x7b0, 0x7bc, 0x7b8, MPJ_DC_CLEAN },
        { 0x7f0, 0x7fc, 0x7f8, MPJ_DC_CLEAN | MPJ_DC_INV },
    };
    uint64_t now = mpj_device_now();
    uint32_t stall = 0;

    mpj_sync_all();
    for (int i = 0; i < ARRAY_SIZE(op); i++) {
        if (offset == op[i].inv_op) {
            uint32_t line = mpj_line_index(mpj.chip, value);

            if (line != MPJ_LINE_NONE) {
                stall = mpj_l2_line_op(mpj.chip, line, op[i].ops, now);
            }
        } else if (offset == op[i].ways_op) {
            stall = mpj_l2_way_op(mpj.chip, value & 0xff, op[i].ops, now);
        } else if (offset == op[i].index_op) {
            /*
             * The model has no lookup by index and way: the last index of a way
             * (software walks all) does the whole way.
             */
            if (!extract32(value, 5, 12)) {
                stall = mpj_l2_way_op(mpj.chip, 1U << extract32(value, 28, 3),
                                      op[i].ops, now);
            }
        }
    }
    if (stall && current_cpu) {
        mpj_charge(current_cpu, stall);
    }
}

bool mpj_l220_write(MpjL220 *s, unsigned offset, uint32_t value)
{
    int i;

    switch (offset) {
    case 0x200:
        l220_fold(s);
        s->control = value & 1;
        for (i = 0; i < MPJ_L220_COUNTERS; i++) {
            if (value & (2U << i)) {
                s->n[i].value = 0;
            }
            l220_start(s, i);
        }
        break;
    case 0x204:
    case 0x208:
        i = offset == 0x204;
        l220_fold(s);
        s->config[i] = value & 0x3f;
        l220_start(s, i);
        break;
    case 0x20c:
    case 0x210:
        i = offset == 0x20c;
        l220_fold(s);
        s->n[i].value = value;
        break;
    case 0x214:
        l220_fold(s);
        s->mask = value & 0x1ff;
        break;
    case 0x220:
        l220_fold(s);
        s->raw &= ~value;
        break;
    case 0x218:
    case 0x21c:
        return true; /* read only */
    case 0x730 ... 0x7fc:
        if (mpj_on()) {
            l220_maintain(offset, value);
        }
        return true;
    default:
        return false;
    }
    l220_update(s);
    return true;
}

void mpj_l220_init(MpjL220 *s)
{
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, l220_timer, s);
}

void mpj_l220_reset(MpjL220 *s)
{
    s->control = 0;
    memset(s->config, 0, sizeof(s->config));
    memset(s->n, 0, sizeof(s->n));
    s->mask = 0;
    s->raw = 0;
    timer_del(s->timer);
}

const VMStateDescription vmstate_mpj_l220 = {
    .name = "mpj-l220",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(control, MpjL220),
        VMSTATE_UINT32_ARRAY(config, MpjL220, MPJ_L220_COUNTERS),
        VMSTATE_STRUCT_ARRAY(n, MpjL220, MPJ_L220_COUNTERS, 1,
                             vmstate_mpj_counter, MpjCounter),
        VMSTATE_TIMER_PTR(timer, MpjL220),
        VMSTATE_UINT32(mask, MpjL220),
        VMSTATE_UINT32(raw, MpjL220),
        VMSTATE_END_OF_LIST()
    }
};
