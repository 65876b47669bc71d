/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps some cores out of WFI, doing nothing (a branch to itself), the others in WFI.
 *   idle [CORES out of WFI=0] [MILLISECONDS=200]
 */
#include "../app.h"
#include "mpj.h"

static unsigned spinning;
static uint32_t ms;

static void rest(void *arg)
{
    (void)arg;
    if (mpj_core_id() < spinning)
        mpj_spin_us(ms * 1000U);
    else
        mpj_sleep_us(ms * 1000U);
}

int main(int argc, char **argv)
{
    spinning = (unsigned)app_arg(argc, argv, 1, 0, 4, 0);
    ms = (uint32_t)app_arg(argc, argv, 2, 1, 1000000, 200);
    mpj_on_all_cores(rest, NULL);
    printf("idle: %u of %u cores out of WFI for %lu ms\n", spinning, mpj_core_count(),
           (unsigned long)ms);
    return 0;
}
