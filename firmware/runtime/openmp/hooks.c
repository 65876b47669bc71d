/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions cost nothing in images without the profiler's accounting, which has the strong ones. */
#include "mpj_rt.h"

__attribute__((weak)) void mpj_rt_region_begin(const void *region, uint32_t team, unsigned num,
                                               unsigned size)
{
    (void)region;
    (void)team;
    (void)num;
    (void)size;
}

__attribute__((weak)) void mpj_rt_region_end(const void *region, uint32_t team, unsigned num)
{
    (void)region;
    (void)team;
    (void)num;
}
