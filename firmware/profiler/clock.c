/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time, at the cost of a read of the cycle counter. */
#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_prof.h"

#define TRUST 0x200000U /* cycles (10 ms) after which the clock is read again */

static struct clock {
    uint32_t cycles; /* CCNT at the time `ticks` */
    uint32_t scale;  /* ticks per cycle, in 2^-32; 0: not set yet */
    uint64_t ticks;
} __attribute__((aligned(32))) clocks[HAL_CORES_MAX];

void mpj_prof_ticks_stop(unsigned core)
{
    clocks[core].scale = 0;
}

HAL_HOT uint64_t mpj_prof_ticks(unsigned core)
{
    return mpj_prof_ticks_at(core, hal_pmu_cycles());
}

HAL_HOT uint64_t mpj_prof_ticks_at(unsigned core, uint32_t ccnt)
{
    struct clock *c = &clocks[core];
    uint32_t now, step;

    step = ccnt - c->cycles;
    if (step < TRUST && c->scale != 0)
        return c->ticks + (((uint64_t)step * c->scale) >> 32);
    if (!mpj_prof_counting(core))
        return hal_sys_ticks();
    if (c->scale == 0)
        c->scale = (uint32_t)(((uint64_t)HAL_SYS_TIME_HZ << 32) / hal_sys_clock_hz());
    now = hal_pmu_cycles();
    c->cycles = now;
    c->ticks = hal_sys_ticks();
    return c->ticks - (((uint64_t)(now - ccnt) * c->scale) >> 32);
}
