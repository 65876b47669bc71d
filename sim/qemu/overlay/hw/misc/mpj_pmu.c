/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ARM11 MPCore performance monitors (CP15 c15,c12), one per core.
 *
 * Overflow is found when a core looks at its registers and, for counters whose
 * interrupt is enabled, by a timer at the earliest time they can wrap.
 */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "hw/irq.h"
#include "hw/misc/mpj_pmu.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/timer.h"

#define PMNC_E        (1U << 0)
#define PMNC_P        (1U << 1)
#define PMNC_C        (1U << 2)
#define PMNC_D        (1U << 3)
#define PMNC_IE_SHIFT 4
#define PMNC_FL_SHIFT 8
#define PMNC_STORED   0x0ffff079U /* E, D, interrupt enables, both events */

#define CCNT 2

static MpjPmuState *mpj_pmu;

static MpjPmuCore *pmu_core(unsigned core)
{
    return mpj_pmu && mpj_on() && core < mpj_pmu->num_cpu ? &mpj_pmu->core[core]
                                                           : NULL;
}

static unsigned pmu_event(const MpjPmuCore *p, int i)
{
    switch (i) {
    case 0:
        return extract32(p->pmnc, 20, 8);
    case 1:
        return extract32(p->pmnc, 12, 8);
    default:
        return MPJ_EV_CYCLES;
    }
}

/*
 * Returns the cycle count. With modelled time only the chip gets no flushes:
 * then a core's time is its cycle count.
 */
static uint64_t pmu_cycles(const MpjPmuCore *p)
{
    return mpj.full ? mpj_core_cycles(mpj.chip, p->index)
                    : mpj_core_now(qemu_get_cpu(p->index));
}

/* Returns the 64-bit count of counter i; the core must have been synced. */
static uint64_t pmu_source(const MpjPmuCore *p, int i)
{
    unsigned event = pmu_event(p, i);

    if (event == MPJ_EV_CYCLES) {
        return pmu_cycles(p);
    }
    return event < MPJ_EV_COUNT ? mpj_core_event(mpj.chip, p->index, event) : 0;
}

static unsigned pmu_divider(const MpjPmuCore *p, int i)
{
    return i == CCNT && (p->pmnc & PMNC_D) ? 64 : 1;
}

static void pmu_fold(MpjPmuCore *p)
{
    if (!(p->pmnc & PMNC_E)) {
        return;
    }
    mpj_sync(qemu_get_cpu(p->index));
    for (int i = 0; i < 3; i++) {
        if (mpj_counter_fold(&p->n[i], pmu_source(p, i), pmu_divider(p, i))) {
            p->flags |= 1U << i;
        }
    }
}

static void pmu_start(MpjPmuCore *p, int i)
{
    mpj_counter_start(&p->n[i], pmu_source(p, i));
}

/* Sets the interrupt line and the time of the next look. */
static void pmu_update(MpjPmuCore *p)
{
    unsigned enabled = extract32(p->pmnc, PMNC_IE_SHIFT, 3);
    uint64_t now;
    int64_t next = INT64_MAX;

    qemu_set_irq(p->irq, (p->flags & enabled) != 0);
    if (!(p->pmnc & PMNC_E)) {
        enabled = 0;
    }
    now = enabled ? mpj_core_now(qemu_get_cpu(p->index)) : 0;
    for (int i = 0; i < 3; i++) {
        uint64_t room = mpj_counter_room(&p->n[i]);
        int64_t t;

        if (!(enabled & ~p->flags & (1U << i))) {
            continue;
        }
        if (pmu_event(p, i) == MPJ_EV_CYCLES) { /* known exactly */
            room = room * pmu_divider(p, i) -
                   (pmu_cycles(p) - p->n[i].base);
            t = MIN(mpj_cycles_to_ns(now + room) + 1,
                    mpj_cycles_to_ns(mpj_counter_next_look(now)));
        } else {
            t = mpj_counter_deadline(now, room);
        }
        next = MIN(next, t);
    }
    if (next == INT64_MAX) {
        timer_del(p->timer);
    } else {
        timer_mod_ns(p->timer, next);
    }
}

static void pmu_timer(void *opaque)
{
    MpjPmuCore *p = opaque;

    pmu_fold(p);
    pmu_update(p);
}

uint32_t mpj_pmu_read(unsigned core, unsigned reg)
{
    MpjPmuCore *p = pmu_core(core);

    if (!p) {
        return 0;
    }
    pmu_fold(p);
    pmu_update(p);
    switch (reg) {
    case MPJ_PMNC:
        return p->pmnc | (p->flags << PMNC_FL_SHIFT);
    case MPJ_CCNT:
        return p->n[CCNT].value;
    default:
        return p->n[reg - MPJ_PMN0].value;
    }
}

static void pmnc_write(MpjPmuCore *p, uint32_t value)
{
    uint32_t old = p->pmnc;

    p->flags &= ~extract32(value, PMNC_FL_SHIFT, 3);
    p->pmnc = value & PMNC_STORED;
    if ((p->pmnc & PMNC_E) && !(old & PMNC_E)) {
        mpj_sync(qemu_get_cpu(p->index));
    }
    if (value & PMNC_P) {
        p->n[0].value = 0;
        p->n[1].value = 0;
    }
    pmu_start(p, 0);
    pmu_start(p, 1);
    if (value & PMNC_C) {
        p->n[CCNT].value = 0;
    }
    /* The divider's own count goes on unless the counter is started or reset. */
    if ((value & PMNC_C) || ((old ^ p->pmnc) & (PMNC_E | PMNC_D))) {
        pmu_start(p, CCNT);
    }
}

void mpj_pmu_write(unsigned core, unsigned reg, uint32_t value)
{
    MpjPmuCore *p = pmu_core(core);
    int i;

    if (!p) {
        return;
    }
    pmu_fold(p);
    if (reg == MPJ_PMNC) {
        pmnc_write(p, value);
    } else {
        i = reg == MPJ_CCNT ? CCNT : reg - MPJ_PMN0;
        p->n[i].value = value;
        pmu_start(p, i);
    }
    pmu_update(p);
}

uint32_t mpj_actlr_read(unsigned core, uint32_t without_model)
{
    MpjPmuCore *p = pmu_core(core);

    return p ? p->actlr : without_model;
}

void mpj_actlr_write(unsigned core, uint32_t value)
{
    MpjPmuCore *p = pmu_core(core);

    if (p) {
        p->actlr = value & 0x7f;
        mpj_sync(qemu_get_cpu(core));
        mpj_smp_enable(mpj.chip, core, value & MPJ_ACTLR_SMP);
    }
}

uint32_t mpj_smp_mask(void)
{
    uint32_t mask = 0;

    for (unsigned i = 0; mpj_pmu && i < mpj_pmu->num_cpu; i++) {
        if (mpj_pmu->core[i].actlr & MPJ_ACTLR_SMP) {
            mask |= 1U << i;
        }
    }
    return mask;
}

static void mpj_pmu_reset(DeviceState *dev)
{
    MpjPmuState *s = MPJ_PMU(dev);

    for (unsigned i = 0; i < s->num_cpu; i++) {
        MpjPmuCore *p = &s->core[i];

        p->pmnc = 0;
        p->flags = 0;
        memset(p->n, 0, sizeof(p->n));
        p->actlr = MPJ_ACTLR_RESET;
        timer_del(p->timer);
    }
}

const VMStateDescription vmstate_mpj_counter = {
    .name = "mpj-counter",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(value, MpjCounter),
        VMSTATE_UINT64(base, MpjCounter),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_mpj_pmu_core = {
    .name = "mpj-pmu-core",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(pmnc, MpjPmuCore),
        VMSTATE_UINT32(flags, MpjPmuCore),
        VMSTATE_STRUCT_ARRAY(n, MpjPmuCore, 3, 1, vmstate_mpj_counter,
                             MpjCounter),
        VMSTATE_UINT32(actlr, MpjPmuCore),
        VMSTATE_TIMER_PTR(timer, MpjPmuCore),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_mpj_pmu = {
    .name = TYPE_MPJ_PMU,
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (VMStateField[]) {
        VMSTATE_STRUCT_VARRAY_UINT32(core, MpjPmuState, num_cpu, 1,
                                     vmstate_mpj_pmu_core, MpjPmuCore),
        VMSTATE_END_OF_LIST()
    }
};

static void mpj_pmu_realize(DeviceState *dev, Error **errp)
{
    MpjPmuState *s = MPJ_PMU(dev);

    if (s->num_cpu < 1 || s->num_cpu > MPJ_CORES) {
        error_setg(errp, "num-cpu must be between 1 and %u", MPJ_CORES);
        return;
    }
    for (unsigned i = 0; i < s->num_cpu; i++) {
        s->core[i].index = i;
        s->core[i].timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, pmu_timer,
                                        &s->core[i]);
        sysbus_init_irq(SYS_BUS_DEVICE(dev), &s->core[i].irq);
    }
    mpj_pmu = s;
}

static Property mpj_pmu_properties[] = {
    DEFINE_PROP_UINT32("num-cpu", MpjPmuState, num_cpu, 1),
    DEFINE_PROP_END_OF_LIST(),
};

static void mpj_pmu_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = mpj_pmu_realize;
    dc->reset = mpj_pmu_reset;
    dc->vmsd = &vmstate_mpj_pmu;
    device_class_set_props(dc, mpj_pmu_properties);
}

static const TypeInfo mpj_pmu_info = {
    .name = TYPE_MPJ_PMU,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(MpjPmuState),
    .class_init = mpj_pmu_class_init,
};

static void mpj_pmu_register_types(void)
{
    type_register_static(&mpj_pmu_info);
}

type_init(mpj_pmu_register_types)
