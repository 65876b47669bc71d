/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One load per 32-byte line through 16 KB, 64 KB and 2 MB, twice, with an empty data cache (32 KB)
 * at first.
 *   first pass   every line misses: 512, 2048, 65536
 *   second pass  16 KB fit: no miss. 64 KB and 2 MB, read in the order in which they were
 *                brought in, are all gone again: every line misses
 * Each miss is one request of the L220 (1 MB). Its counters cannot be started and stopped within
 * the probe: a few lines of stack and code come on top.
 */
#include "hal_cache.h"
#include "hal_l2cc.h"
#include "known.h"

#define LINE 32U

static char memory[2U << 20] __attribute__((aligned(4096)));

KNOWN_PROBE(cache_read, "1:\n\tldr r4, [r10], #32\n\tsubs r5, r5, #1\n\tbne 1b");
KNOWN_PROBE(cache_write, "1:\n\tstr r4, [r10], #32\n\tsubs r5, r5, #1\n\tbne 1b");

static void empty_cache(void)
{
    hal_irq_state irq = hal_irq_save();

    hal_cache_clean_invalidate();
    hal_irq_restore(irq);
}

struct pass {
    struct known_counts c;
    uint32_t l2;
};

static struct pass pass(uint32_t lines)
{
    static const uint8_t l2[HAL_L2CC_COUNTERS] = {MPJ_EVENT_L2_DRREQ, MPJ_EVENT_L2_DWREQ};
    struct pass p;

    hal_l2cc_mon_setup(l2, false);
    hal_l2cc_mon_start();
    p.c = known_once(cache_read, memory, lines, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS);
    hal_l2cc_mon_stop();
    p.l2 = hal_l2cc_mon_read(0);
    return p;
}

static void report(const char *name, const char *which, const struct pass *p)
{
    printf("%s_%s_rd %lu\n", name, which, (unsigned long)p->c.event[0]);
    printf("%s_%s_miss %lu\n", name, which, (unsigned long)p->c.event[1]);
    printf("%s_%s_l2_drreq %lu\n", name, which, (unsigned long)p->l2);
}

static void strided(const char *name, uint32_t bytes)
{
    struct pass first, second;
    hal_irq_state irq;

    empty_cache();
    /* Nothing between the passes that needs the cache: 16 KB take two of its four ways. */
    irq = hal_irq_save();
    first = pass(bytes / LINE);
    second = pass(bytes / LINE);
    hal_irq_restore(irq);
    report(name, "first", &first);
    report(name, "second", &second);
}

int main(void)
{
    struct known_counts first, second;
    hal_irq_state irq;

    mpj_monitors_take();
    (void)known_once(cache_read, memory, 16, 0, 0); /* code and stack */
    strided("r16k", 16U << 10);
    strided("r64k", 64U << 10);
    strided("r2m", 2U << 20);
    /* Stores allocate: each line misses once, and 16 KB of dirty lines stay. */
    empty_cache();
    irq = hal_irq_save();
    first = known_once(cache_write, memory, 512, MPJ_EVENT_DCACHE_WR, MPJ_EVENT_DCACHE_WR_MISS);
    second = known_once(cache_write, memory, 512, MPJ_EVENT_DCACHE_WR, MPJ_EVENT_DCACHE_WR_MISS);
    hal_irq_restore(irq);
    known_print("w16k", "first_wr", first.event[0]);
    known_print("w16k", "first_miss", first.event[1]);
    known_print("w16k", "second_miss", second.event[1]);
    return 0;
}
