/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program whose power changes with its phases, which it marks: rest, then one core busy, then
 * all cores busy, over and over.
 *   phases [ROUNDS=3] [MILLISECONDS of a phase=100]
 */
#include "../app.h"
#include "mpj.h"

static uint64_t until;

static void work(void *arg)
{
    volatile uint32_t x = 1;

    (void)arg;
    while (mpj_time_ns() < until) {
        for (unsigned i = 0; i < 1000; i++)
            x = x * 1664525U + 1013904223U;
    }
}

int main(int argc, char **argv)
{
    const long rounds = app_arg(argc, argv, 1, 1, 100000, 3);
    const uint32_t ms = (uint32_t)app_arg(argc, argv, 2, 1, 100000, 100);

    for (long i = 0; i < rounds; i++) {
        mpj_mark("rest");
        mpj_sleep_us(ms * 1000U);
        mpj_mark("one core");
        until = mpj_time_ns() + (uint64_t)ms * 1000000U;
        work(NULL);
        mpj_mark("all cores");
        until = mpj_time_ns() + (uint64_t)ms * 1000000U;
        mpj_on_all_cores(work, NULL);
    }
    mpj_mark("done");
    printf("phases: %ld rounds of 3 x %lu ms\n", rounds, (unsigned long)ms);
    return 0;
}
