/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event monitors as the hardware manuals describe them, without the drivers' own constants: a
 * driver with a wrong bit must fail against them. */
#include <string.h>

#include "hal_cpu.h"
#include "hal_fake.h"
#include "hal_map.h"

#define CORES 4U

static struct {
    struct {
        uint32_t pmnc;
        uint32_t counter[3]; /* PMN0, PMN1, CCNT */
        uint32_t prescale;   /* cycles towards the next CCNT step */
    } pmu[CORES];
    struct {
        uint32_t control;
        uint32_t select[2];
        uint32_t mn[8];
    } scu;
    struct {
        uint32_t control, config[2], count[2], mask, raw;
    } l2;
} mon;

static uint32_t pmu_read(void *ctx, uintptr_t addr)
{
    unsigned core = hal_cpu_id();

    (void)ctx;
    switch ((addr - hal_fake_cp15(core, 15, 0, 12, 0)) / 4U) {
    case 0:
        return mon.pmu[core].pmnc;
    case 1:
        return mon.pmu[core].counter[2];
    case 2:
        return mon.pmu[core].counter[0];
    default:
        return mon.pmu[core].counter[1];
    }
}

static void pmu_write(void *ctx, uintptr_t addr, uint32_t value)
{
    unsigned core = hal_cpu_id();
    uint32_t *pmnc = &mon.pmu[core].pmnc;

    (void)ctx;
    switch ((addr - hal_fake_cp15(core, 15, 0, 12, 0)) / 4U) {
    case 0:
        if ((value & 2U) != 0)
            mon.pmu[core].counter[0] = mon.pmu[core].counter[1] = 0;
        if ((value & 4U) != 0)
            mon.pmu[core].counter[2] = mon.pmu[core].prescale = 0;
        /* Flags clear where a one is written; resets read as zero. */
        *pmnc = (value & 0x0ffff079U) | (*pmnc & 0x700U & ~value);
        break;
    case 1:
        mon.pmu[core].counter[2] = value;
        break;
    case 2:
        mon.pmu[core].counter[0] = value;
        break;
    default:
        mon.pmu[core].counter[1] = value;
        break;
    }
}

static uint32_t scu_read(void *ctx, uintptr_t addr)
{
    uintptr_t offset = addr - BOARD_SCU_BASE;

    (void)ctx;
    if (offset == 0x10U)
        return mon.scu.control;
    if (offset < 0x1cU)
        return mon.scu.select[(offset - 0x14U) / 4U];
    return mon.scu.mn[(offset - 0x1cU) / 4U];
}

static void scu_write(void *ctx, uintptr_t addr, uint32_t value)
{
    uintptr_t offset = addr - BOARD_SCU_BASE;

    (void)ctx;
    if (offset == 0x10U) {
        if ((value & 2U) != 0)
            memset(mon.scu.mn, 0, sizeof(mon.scu.mn));
        mon.scu.control = (value & 0xff01U) | (mon.scu.control & 0xff0000U & ~value);
    } else if (offset < 0x1cU) {
        mon.scu.select[(offset - 0x14U) / 4U] = value;
    } else {
        mon.scu.mn[(offset - 0x1cU) / 4U] = value;
    }
}

static uint32_t l2_read(void *ctx, uintptr_t addr)
{
    (void)ctx;
    switch (addr - BOARD_L220_BASE) {
    case 0x200:
        return mon.l2.control;
    case 0x204:
        return mon.l2.config[1];
    case 0x208:
        return mon.l2.config[0];
    case 0x20c:
        return mon.l2.count[1];
    case 0x210:
        return mon.l2.count[0];
    case 0x214:
        return mon.l2.mask;
    case 0x218:
        return mon.l2.raw & mon.l2.mask;
    case 0x21c:
        return mon.l2.raw;
    default:
        return 0;
    }
}

static void l2_write(void *ctx, uintptr_t addr, uint32_t value)
{
    (void)ctx;
    switch (addr - BOARD_L220_BASE) {
    case 0x200:
        if ((value & 2U) != 0)
            mon.l2.count[0] = 0;
        if ((value & 4U) != 0)
            mon.l2.count[1] = 0;
        mon.l2.control = value & 1U;
        break;
    case 0x204:
        mon.l2.config[1] = value;
        break;
    case 0x208:
        mon.l2.config[0] = value;
        break;
    case 0x214:
        mon.l2.mask = value;
        break;
    case 0x220:
        mon.l2.raw &= ~value;
        break;
    default:
        break;
    }
}

static void status_write(void *ctx, uintptr_t addr, uint32_t value)
{
    (void)ctx;
    hal_fake_poke(addr, hal_fake_peek(addr) & ~value);
}

void hal_fake_monitors(void)
{
    memset(&mon, 0, sizeof(mon));
    for (unsigned core = 0; core < CORES; core++) {
        uintptr_t pmnc = hal_fake_cp15(core, 15, 0, 12, 0);

        hal_fake_script(pmnc, pmnc + 16U, pmu_read, pmu_write, NULL);
    }
    hal_fake_script(BOARD_SCU_BASE + 0x10U, BOARD_SCU_BASE + 0x3cU, scu_read, scu_write, NULL);
    hal_fake_script(BOARD_TIMER_BASE + 0xcU, BOARD_TIMER_BASE + 0x10U, NULL, status_write, NULL);
    hal_fake_script(BOARD_TIMER2_BASE + 0xcU, BOARD_TIMER2_BASE + 0x10U, NULL, status_write, NULL);
    hal_fake_script(BOARD_L220_BASE + 0x200U, BOARD_L220_BASE + 0x224U, l2_read, l2_write, NULL);
}

/* Adds n to a counter; returns true if it wrapped. */
static bool add(uint32_t *counter, uint64_t n)
{
    uint64_t sum = (uint64_t)*counter + n;

    *counter = (uint32_t)sum;
    return sum > UINT32_MAX;
}

void hal_fake_count(enum hal_fake_monitor m, unsigned core, uint32_t mask, uint64_t n)
{
    switch (m) {
    case HAL_FAKE_PMU:
        if ((mon.pmu[core].pmnc & 1U) == 0)
            return;
        for (unsigned i = 0; i < 3; i++) {
            uint64_t steps = n;

            if ((mask & (1U << i)) == 0)
                continue;
            if (i == 2 && (mon.pmu[core].pmnc & 8U) != 0) {
                steps = (mon.pmu[core].prescale + n) / 64U;
                mon.pmu[core].prescale = (uint32_t)((mon.pmu[core].prescale + n) % 64U);
            }
            if (add(&mon.pmu[core].counter[i], steps))
                mon.pmu[core].pmnc |= 0x100U << i;
        }
        break;
    case HAL_FAKE_SCU:
        if ((mon.scu.control & 1U) == 0)
            return;
        for (unsigned i = 0; i < 8; i++) {
            if ((mask & (1U << i)) != 0 && add(&mon.scu.mn[i], n))
                mon.scu.control |= 0x10000U << i;
        }
        break;
    default:
        if ((mon.l2.control & 1U) == 0)
            return;
        for (unsigned i = 0; i < 2; i++) {
            if ((mask & (1U << i)) != 0 && add(&mon.l2.count[i], n) &&
                (mon.l2.config[i] & 3U) == 2U)
                mon.l2.raw |= 1U;
        }
        break;
    }
}
