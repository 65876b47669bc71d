/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMP regions of known balance; U = -u units of work, 4 threads on 4 cores.
 *   region A, line marked A: thread i works (i + 1) * U
 *   serial part: 2 U by main
 *   region B, line marked B: every thread works 2 U
 * Expected in the profile:
 *   region A: run shares 10, 20, 30, 40 %; waits at its barrier 3, 2, 1, 0 U;
 *     longest over mean 1.6 (imbalance 60 %); lasts 4 U
 *   region B: equal shares, imbalance 0, waits 0; lasts 2 U
 *   shares of the elapsed 8 U: A 50 %, serial 25 %, B 25 %
 * All within 1 % at the default size.
 */
#include "wl_common.h"
#include <omp.h>

static long unit = 300;

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'u', &unit, 1, 1000000, "units of work"},
        {0},
    };
    wl_options(argc, argv, opts);
    uint32_t got[3][4] = {{0}};
    int team = 0;

#pragma omp parallel num_threads(4) /* A */
    {
        int id = omp_get_thread_num();
        if (id == 0)
            team = omp_get_num_threads();
        got[0][id] = wl_work((unsigned long)(unit * (id + 1)));
    }

    got[1][0] = wl_work((unsigned long)(unit * 2));

#pragma omp parallel num_threads(4) /* B */
    got[2][omp_get_thread_num()] = wl_work((unsigned long)(unit * 2));

    bool ok = team == 4 && got[1][0] == got[2][3];
    for (int i = 0; i < 4; i++)
        ok = ok && got[2][i] == got[1][0] && (got[0][i] == got[1][0]) == (i == 1);
    return wl_result("mu_imbalance", ok, "unit=%ld team=%d", unit, team);
}
