/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched_rig.h"

#include <stdlib.h>
#include <string.h>

#include "hal_fake.h"
#include "hal_sys.h"
#include "mpj_fault.h"
#include "sched_timer.h"

struct sched mpj_sched;

static mpj_irq_handler handler[HAL_GIC_IDS];
static unsigned given_away;

/* ---- kernel/sched.c and what is below it -------------------------------------------- */

void mpj_irq_attach(unsigned id, mpj_irq_handler fn, void *arg)
{
    (void)arg;
    handler[id] = fn;
}

hal_irq_state mpj_sched_lock(void)
{
    hal_irq_state s = hal_spin_lock_irq(&mpj_sched.lock);

    mpj_sched.now = 0;
    return s;
}

void mpj_sched_unlock(hal_irq_state s)
{
    hal_spin_unlock_irq(&mpj_sched.lock, s);
}

void mpj_sched_give_away(void)
{
    given_away++;
    hal_spin_unlock(&mpj_sched.lock);
}

_Noreturn void mpj_reset(void)
{
    abort();
}

/* ---- the rig -------------------------------------------------------------------------- */

void sched_rig_reset(uint32_t ticks, uint32_t cores)
{
    hal_fake_reset();
    hal_fake_poke(BOARD_TIME_COUNTER, ticks);
    hal_fake_poke(SCHED_GIC_PENDING, HAL_GIC_SPURIOUS);
    hal_sys_ticks_init();
    memset(&mpj_sched, 0, sizeof(mpj_sched));
    memset(handler, 0, sizeof(handler));
    given_away = 0;
    mpj_runq_init(&mpj_sched.runq);
    mpj_waitq_init(&mpj_sched.waitq);
    mpj_sched.active = cores;
    mpj_sched.on = true;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        struct sched_core *c = &mpj_sched.core[i];

        c->idle.state = MPJ_THREAD_RUNNING;
        c->idle.core = (uint8_t)i;
        c->cur = &c->idle;
    }
    mpj_sched_timer_init();
}

void sched_rig_time(uint64_t ticks)
{
    hal_fake_poke(BOARD_TIME_COUNTER, (uint32_t)ticks);
    mpj_sched.now = 0;
}

void sched_rig_thread(struct mpj_thread *t, uint32_t id, unsigned priority)
{
    memset(t, 0, sizeof(*t));
    t->id = id;
    t->slices = true;
    t->run.affinity = ~0U;
    t->run.priority = (uint8_t)priority;
    mpj_list_init(&t->run.link);
    mpj_list_init(&t->wait.link);
    mpj_sched.live++;
}

void sched_rig_run(unsigned core, struct mpj_thread *t)
{
    t->state = MPJ_THREAD_RUNNING;
    t->core = (uint8_t)core;
    mpj_sched.core[core].cur = t;
    hal_fake_set_core(core);
    hal_cpu_set_self(t);
    hal_fake_set_core(0);
}

void sched_rig_block(struct mpj_thread *t, uint64_t deadline)
{
    t->state = MPJ_THREAD_BLOCKED;
    mpj_timeq_put(&mpj_sched.timeq, &t->time, deadline);
}

void sched_rig_interrupt(unsigned core, unsigned id)
{
    hal_fake_set_core(core);
    handler[id](id, NULL);
    hal_fake_set_core(0);
}

unsigned sched_rig_writes(uintptr_t addr)
{
    const struct hal_fake_write *log;
    const size_t n = hal_fake_log(&log);
    unsigned found = 0;

    for (size_t i = 0; i < n; i++)
        found += log[i].addr == addr;
    return found;
}

uint32_t sched_rig_sent(void)
{
    const struct hal_fake_write *log;
    const size_t n = hal_fake_log(&log);
    uint32_t cores = 0;

    for (size_t i = 0; i < n; i++) {
        if (log[i].addr == SCHED_GIC_SGI && (log[i].value & 0xfU) == MPJ_SGI_SCHED)
            cores |= log[i].value >> 16;
    }
    return cores;
}

void sched_rig_forget(void)
{
    hal_fake_log_clear();
}

unsigned sched_rig_given_away(void)
{
    return given_away;
}
