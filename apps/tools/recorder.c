/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program of `mpjoule record` if none is given: only the sampler runs, every core waits
 * in WFI, until the time is over or the host requests the end.
 *   recorder [MILLISECONDS=0: until requested] [ASK_MS=0: do not ask, only listen]
 */
#include "../app.h"
#include "mpj.h"

#define LOOK_MS   100U /* latest time at which a requested end is noticed */
#define NS_PER_MS 1000000U

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    const uint64_t length = (uint64_t)app_arg(argc, argv, 1, 0, INT32_MAX, 0);
    const uint64_t ask = (uint64_t)app_arg(argc, argv, 2, 0, 1000000, 0);
    const uint64_t begin = mpj_time_ns();
    const uint64_t end = length > 0 ? begin + length * NS_PER_MS : UINT64_MAX;
    uint64_t asked = begin;

    while (!mpj_stop_wanted()) {
        const uint64_t now = mpj_time_ns();
        uint64_t next = least(end, now + LOOK_MS * NS_PER_MS);

        if (now >= end)
            break;
        if (ask > 0 && now - asked >= ask * NS_PER_MS) {
            asked += ask * NS_PER_MS;
            if (mpj_ask_stop())
                break;
        }
        if (ask > 0)
            next = least(next, asked + ask * NS_PER_MS);
        if (next > now)
            mpj_sleep_us((uint32_t)((next - now + 999U) / 1000U));
    }
    return 0;
}
