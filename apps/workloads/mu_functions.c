/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with known shares of time and calls, one thread.
 * Expected in a profile by function, R rounds (-n, 60):
 *   part_one 10 %, part_two 20 %, part_three 30 %, part_four 40 % of the time
 *   of the four, each called R times, from caller() alone, which is called R
 *   times by main and has nothing of its own; leaf() is called 100 R times by
 *   caller() and has next to no time
 *   within 1 % of the whole
 */
#include "wl_common.h"

#define CALL __attribute__((noinline, noclone)) static

static long rounds = 60, unit = 10, leaves;

CALL uint32_t part_one(void)
{
    return wl_work((unsigned long)unit);
}

CALL uint32_t part_two(void)
{
    return wl_work((unsigned long)unit * 2);
}

CALL uint32_t part_three(void)
{
    return wl_work((unsigned long)unit * 3);
}

CALL uint32_t part_four(void)
{
    return wl_work((unsigned long)unit * 4);
}

CALL void leaf(long i)
{
    leaves += i & 1;
}

CALL uint32_t caller(void)
{
    uint32_t sum = part_one();
    sum += part_two();
    sum += part_three();
    sum += part_four();
    for (long i = 0; i < 100; i++)
        leaf(i);
    return sum;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &rounds, 1, 1000000, "rounds"},
        {'u', &unit, 1, 100000, "units of work of part_one"},
        {0},
    };
    wl_options(argc, argv, opts);
    uint32_t sum = 0, want = 0;
    for (long i = 0; i < rounds; i++)
        sum += caller();
    for (unsigned long k = 1; k <= 4; k++)
        want += (uint32_t)rounds * wl_work(k * (unsigned long)unit);
    return wl_result("mu_functions", sum == want && leaves == 50 * rounds,
                     "rounds=%ld unit=%ld leaves=%ld", rounds, unit, leaves);
}
