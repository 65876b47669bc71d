/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupt dispatch. */
#include "mpj_irq.h"

#include <stddef.h>

#include "hal_cpu.h"
#include "hal_gic.h"
#include "mpj_fault.h"

static struct {
    mpj_irq_handler handler;
    void *arg;
} table[HAL_GIC_IDS];

static struct mpj_context *interrupted[HAL_CORES_MAX];

struct mpj_context *mpj_irq_dispatch(struct mpj_context *c);

struct mpj_context *mpj_irq_context(void)
{
    return interrupted[hal_cpu_id()];
}

void mpj_irq_attach(unsigned id, mpj_irq_handler handler, void *arg)
{
    hal_irq_state s = hal_irq_save();

    table[id].arg = arg;
    hal_dmb();
    table[id].handler = handler;
    hal_irq_restore(s);
}

struct mpj_context *mpj_irq_dispatch(struct mpj_context *c)
{
    mpj_irq_enter();
    interrupted[hal_cpu_id()] = c;
    for (;;) {
        uint32_t ack = hal_gic_ack();
        unsigned id = HAL_GIC_ID(ack);

        if (id >= HAL_GIC_IDS)
            break;
        if (table[id].handler != NULL)
            table[id].handler(id, table[id].arg);
        else if (id >= 16U)
            hal_gic_disable(id); /* no handler would ever clear it */
        hal_gic_end(ack);
    }
    return mpj_irq_leave(c);
}

__attribute__((weak)) void mpj_irq_enter(void)
{
}

__attribute__((weak)) struct mpj_context *mpj_irq_leave(struct mpj_context *c)
{
    return c;
}

__attribute__((weak)) struct mpj_context *mpj_svc(struct mpj_context *c)
{
    mpj_fault_context(MPJ_FAULT_KIND_SVC, c);
}
