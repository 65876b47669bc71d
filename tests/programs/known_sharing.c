/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every core counts to 20000 in memory: in words of one line (false sharing), then in lines of
 * their own.
 *   padded  each core misses at most once: nothing moves between the cores
 *   shared  the line moves at least once for every time slice in which two cores count; how
 *           often depends on the interleaving, so only a floor is known. The time for the same work
 *           is longer.
 */
#include "known.h"

#define COUNT 20000U

static uint32_t shared[8] __attribute__((aligned(32)));
static uint32_t padded[4][8] __attribute__((aligned(32)));
static bool pad;

struct result {
    struct known_counts c;
} __attribute__((aligned(32)));
static struct result result[4];

KNOWN_PROBE(count_up,
            "1:\n\tldr r4, [r10]\n\tadd r4, r4, #1\n\tstr r4, [r10]\n\tsubs r5, r5, #1\n\tbne 1b");

static void work(void *arg)
{
    unsigned core = mpj_core_id();

    (void)arg;
    mpj_monitors_take();
    result[core].c = known_once(count_up, pad ? &padded[core][0] : &shared[core], COUNT,
                                MPJ_EVENT_DCACHE_RD_MISS, MPJ_EVENT_DCACHE_WR_MISS);
}

static void report(const char *name)
{
    uint32_t rd = 0, wr = 0, cycles = 0;

    mpj_on_all_cores(work, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        rd += result[i].c.event[0];
        wr += result[i].c.event[1];
        cycles = result[i].c.cycles > cycles ? result[i].c.cycles : cycles;
    }
    known_print(name, "misses", rd + wr);
    known_print(name, "cycles", cycles);
}

int main(void)
{
    unsigned good = 0;

    report("shared");
    pad = true;
    report("padded");
    for (unsigned i = 0; i < mpj_core_count(); i++)
        good += shared[i] == COUNT && padded[i][0] == COUNT;
    printf("counted %u\n", good);
    return 0;
}
