/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SCU and L220 counters against the sums of the cores' own: every core reads 64 KB of its own,
 * 2048 lines, with an empty data cache. So core k's read misses are 2048, the SCU sees as many
 * linefills of core k that no other core has, and the L220 4 * 2048 data reads; on top of SCU and
 * L220 come the lines of stack and data touched around the loop. A second time over the same
 * data, now of the neighbour, whose cache holds the last 32 KB: what is not there has no holder;
 * the two kinds of linefill add up to the misses again.
 */
#include "hal_cache.h"
#include "hal_l2cc.h"
#include "hal_scu.h"
#include "known.h"

#define LINES 2048U

static char memory[4][LINES * 32U] __attribute__((aligned(4096)));
static unsigned neighbour;
static volatile uint32_t met __attribute__((aligned(32)));

struct result {
    uint32_t reads, misses;
} __attribute__((aligned(32)));
static struct result result[4];

KNOWN_PROBE(scu_read, "1:\n\tldr r4, [r10], #32\n\tsubs r5, r5, #1\n\tbne 1b");

static void empty_cache(void *arg)
{
    hal_irq_state irq = hal_irq_save();

    (void)arg;
    mpj_monitors_take();
    hal_cache_clean_invalidate();
    hal_irq_restore(irq);
}

/* Of the four cores, since the program began. */
static void meet(unsigned times)
{
    __atomic_add_fetch(&met, 1U, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < 4U * times)
        ;
}

static void chip_start(void)
{
    static const uint8_t scu[HAL_SCU_COUNTERS] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t l2[HAL_L2CC_COUNTERS] = {MPJ_EVENT_L2_DRREQ, MPJ_EVENT_L2_DRHIT};

    hal_scu_mon_setup(scu, 0);
    hal_l2cc_mon_setup(l2, false);
    hal_scu_mon_start();
    hal_l2cc_mon_start();
}

static void chip_stop(void)
{
    hal_scu_mon_stop();
    hal_l2cc_mon_stop();
}

/* SCU and L220 count from when all cores are there until all have read. */
static void read_all(void *arg)
{
    unsigned core = mpj_core_id();
    struct known_counts c;

    (void)arg;
    meet(4U * neighbour + 1U);
    if (core == 0)
        chip_start();
    meet(4U * neighbour + 2U);
    c = known_once(scu_read, memory[(core + neighbour) % 4U], LINES, MPJ_EVENT_DCACHE_RD,
                   MPJ_EVENT_DCACHE_RD_MISS);
    result[core].reads = c.event[0];
    result[core].misses = c.event[1];
    meet(4U * neighbour + 3U);
    if (core == 0)
        chip_stop();
    meet(4U * neighbour + 4U);
}

static void run(const char *name)
{
    uint32_t misses = 0, alone = 0, other = 0, sources;

    mpj_on_all_cores(read_all, NULL);
    for (unsigned i = 0; i < 4; i++) {
        misses += result[i].misses;
        alone += hal_scu_mon_read(i);
        other += hal_scu_mon_read(4U + i);
    }
    known_print(name, "core_misses", misses);
    known_print(name, "scu_linefills", alone + other);
    known_print(name, "scu_c2c", other);
    known_print(name, "l2_drreq", hal_l2cc_mon_read(0));
    /* Every linefill comes from a core or from the L220; the two monitors stop one after the
     * other, and the core that stops them goes on fetching. */
    sources = hal_l2cc_mon_read(0) + other;
    known_print(name, "fills_without_source",
                alone + other > sources ? alone + other - sources : sources - alone - other);
}

int main(void)
{
    if (mpj_core_count() < 4) {
        printf("needs four cores\n");
        return 1;
    }
    mpj_on_all_cores(empty_cache, NULL);
    run("own");
    for (unsigned i = 0; i < 4; i++) {
        char name[8];

        snprintf(name, sizeof(name), "core%u", i);
        known_print(name, "reads", result[i].reads);
        known_print(name, "misses", result[i].misses);
    }
    neighbour = 1;
    run("next");
    return 0;
}
