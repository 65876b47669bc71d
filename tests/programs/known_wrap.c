/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters beyond 32 bits: 45 s are 9.45e9 cycles, two turns and a bit of CCNT, on every core. The
 * difference between the core's extended cycle counter and the board's clock, over that time, is
 * less than the 2000 cycles that reading one after the other can cost.
 */
#include "known.h"

struct result {
    int64_t error;
    uint32_t turns;
} __attribute__((aligned(32)));
static struct result result[4];

static void wait_long(void *arg)
{
    struct result *r = &result[mpj_core_id()];
    uint64_t ns = mpj_time_ns();
    uint64_t cycles = mpj_cycles();

    (void)arg;
    mpj_sleep_us(45000000);
    ns = mpj_time_ns() - ns;
    cycles = mpj_cycles() - cycles;
    r->error = (int64_t)(cycles - ns * 21U / 100U);
    r->turns = (uint32_t)(cycles >> 32);
}

int main(void)
{
    mpj_on_all_cores(wait_long, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        printf("core%u_error %ld\n", i, (long)result[i].error);
        printf("core%u_turns %lu\n", i, (unsigned long)result[i].turns);
    }
    return 0;
}
