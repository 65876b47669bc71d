/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A spin lock (LDREX/STREX) fought over by all cores.
 *   locks [ACQUISITIONS per core=20000] [WORK=20]
 * WORK: iterations of a small loop outside the lock.
 */
#include "../app.h"
#include "hal_cpu.h"
#include "mpj.h"

static hal_spinlock lock = HAL_SPINLOCK_INIT;
/* Next to the lock's line, not in it. */
static volatile uint32_t shared[16] __attribute__((aligned(32)));
static long times, work;

static void fight(void *arg)
{
    (void)arg;
    for (long i = 0; i < times; i++) {
        hal_spin_lock(&lock);
        shared[0]++;
        shared[8] += shared[0];
        hal_spin_unlock(&lock);
        for (volatile long w = 0; w < work; w++)
            ;
    }
}

int main(int argc, char **argv)
{
    unsigned cores = mpj_core_count();
    uint32_t total, sum;
    uint64_t begin, ns;

    times = app_arg(argc, argv, 1, 1, 100000000, 20000);
    work = app_arg(argc, argv, 2, 0, 1000000, 20);
    begin = mpj_time_ns();
    mpj_on_all_cores(fight, NULL);
    ns = mpj_time_ns() - begin;
    total = (uint32_t)times * cores;
    /* 1 + 2 + ... + total, modulo 2^32. */
    sum = (uint32_t)((uint64_t)total * (total + 1ULL) / 2U);
    if (shared[0] != total || shared[8] != sum) {
        printf("locks: %lu entries instead of %lu\n", (unsigned long)shared[0],
               (unsigned long)total);
        return 1;
    }
    printf("locks: %lu acquisitions on %u cores: %.3f ms, %.0f ns each, correct\n",
           (unsigned long)total, cores, (double)ns / 1e6, (double)ns / total);
    return 0;
}
