/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing but sleep, then nothing but work, by main alone: the energy of an
 * idle chip and of one busy core.
 * Expected in the profile: -m milliseconds (100) of sleep, during which no core
 * runs (degree of parallelism 0, power at the idle level of the board), then W
 * units of work on one core; run = time of the work, block 0.
 * The program fails when the sleep is too short, or with -x X more than X
 * microseconds too long.
 */
#include "wl_common.h"

static long ms = 100, work = 1000, slack_us;

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'m', &ms, 0, 100000, "milliseconds of sleep"},
        {'w', &work, 0, 1000000, "units of work"},
        {'x', &slack_us, 0, 1000000, "microseconds it may sleep longer, 0 for any"},
        {0},
    };
    wl_options(argc, argv, opts);
    uint64_t start = wl_now_ns(), want = (uint64_t)ms * 1000000u;
    wl_sleep_ns(want);
    uint64_t slept = wl_now_ns() - start;
    uint32_t x = wl_work((unsigned long)work);
    bool ok = slept >= want && (slack_us == 0 || slept <= want + (uint64_t)slack_us * 1000u);
    return wl_result("mu_sleep", ok, "slept_us=%lu work=%ld x=%08lx", (unsigned long)(slept / 1000),
                     work, (unsigned long)x);
}
