/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the OpenMP programs: the options all of them have. */
#ifndef WL_OPENMP_H
#define WL_OPENMP_H

#include "wl_expect.h"
#include <omp.h>

/*
 * Reads -n (as first describes it), -t threads, obeyed at once, and -s seed.
 * Returns the seed.
 */
static inline long wl_omp_options(int argc, char **argv, struct wl_opt first)
{
    long threads = 0, seed = 1;
    const struct wl_opt opts[] = {
        first,
        {'t', &threads, 0, 64, "threads, 0 as the environment says"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (threads > 0)
        omp_set_num_threads((int)threads);
    return seed;
}

#endif
