/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where cores meet, all of them running at once.
 *   add     four cores add to one word with LDREX and STREX, 5000 times each. A line goes from
 *           core to core in 16 cycles (4 for the SCU to look it up, 12 on its way), and the next
 *           core gets it when the one before has stored: an addition every 16 cycles, 20000 of
 *           them 320000 cycles, and a miss each. No core is preferred: when the first one has
 *           done its 5000, the others have done nearly as many.
 *   trip    a word that two cores hand over and back by polling: each way the store takes the
 *           line away from the polling core (8 cycles) and the next poll brings it back (16), with
 *           the loop around it some 30 to 60 cycles.
 *   early   one core says when it stores a flag, the other one when it sees it: never before.
 */
#include <time.h>

#include "known.h"

#define ADDS  5000U
#define TRIPS 1000U

static uint32_t sum[8] __attribute__((aligned(32)));
static volatile uint32_t ready[8] __attribute__((aligned(32)));
static volatile uint32_t there[8] __attribute__((aligned(32)));
static volatile uint32_t back[8] __attribute__((aligned(32)));
static volatile uint64_t said[4] __attribute__((aligned(32)));
static uint32_t early, trip_cycles;

struct result {
    struct known_counts c;
    volatile uint32_t done;
    uint32_t fewest;
} __attribute__((aligned(32)));
static struct result result[4];

KNOWN_PROBE(add_up, "1:\n\tldrex r4, [r10]\n\tadd r4, r4, #1\n\tstrex r6, r4, [r10]\n\t"
                    "teq r6, #0\n\tbne 1b\n\tsubs r5, r5, #1\n\tbne 1b");

static void together(void)
{
    __atomic_fetch_add(&ready[0], 1, __ATOMIC_SEQ_CST);
    while (ready[0] % mpj_core_count() != 0)
        ;
}

static void add(void *arg)
{
    unsigned core = mpj_core_id();

    (void)arg;
    mpj_monitors_take();
    together();
    result[core].c =
        known_once(add_up, sum, ADDS, MPJ_EVENT_DCACHE_RD_MISS, MPJ_EVENT_DCACHE_WR_MISS);
}

static void share(void *arg)
{
    struct result *mine = &result[mpj_core_id()];

    (void)arg;
    together();
    for (uint32_t i = 0; i < ADDS; i++) {
        __atomic_fetch_add(&sum[0], 1, __ATOMIC_RELAXED);
        mine->done = i + 1;
    }
    mine->fewest = ADDS;
    for (unsigned i = 0; i < mpj_core_count(); i++)
        if (result[i].done < mine->fewest)
            mine->fewest = result[i].done;
}

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void trip(void *arg)
{
    unsigned core = mpj_core_id();

    (void)arg;
    together();
    if (core == 0) {
        uint64_t from = now();
        for (uint32_t i = 1; i <= TRIPS; i++) {
            there[0] = i;
            while (back[0] != i)
                ;
        }
        trip_cycles = (uint32_t)((now() - from) * 21 / 100 / TRIPS);
    } else if (core == 1) {
        for (uint32_t i = 1; i <= TRIPS; i++) {
            while (there[0] != i)
                ;
            back[0] = i;
        }
    }
}

static void say(void *arg)
{
    unsigned core = mpj_core_id();

    (void)arg;
    together();
    for (uint32_t i = 1; i <= TRIPS; i++) {
        if (core == 0) {
            for (volatile uint32_t k = 0; k < i * 37 % 101; k++)
                ;
            said[0] = now();
            there[1] = i;
            while (back[1] != i)
                ;
        } else if (core == 1) {
            while (there[1] != i)
                ;
            early += now() < said[0];
            back[1] = i;
        }
    }
}

int main(void)
{
    uint32_t misses = 0, cycles = 0, fewest = ADDS;

    mpj_on_all_cores(add, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        misses += result[i].c.event[0] + result[i].c.event[1];
        cycles = result[i].c.cycles > cycles ? result[i].c.cycles : cycles;
    }
    known_print("add", "sum", sum[0]);
    known_print("add", "misses", misses);
    known_print("add", "cycles", cycles);
    mpj_on_all_cores(share, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++)
        fewest = result[i].fewest < fewest ? result[i].fewest : fewest;
    known_print("add", "fewest", fewest);
    mpj_on_all_cores(trip, NULL);
    known_print("trip", "cycles", trip_cycles);
    mpj_on_all_cores(say, NULL);
    known_print("flag", "early", early);
    return 0;
}
