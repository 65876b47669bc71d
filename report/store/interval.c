/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/interval.h"

#include <math.h>

#include "report/run.h"

#define UJ_PER_MWS 1e3

double mpj_interval_uj(const struct mpj_interval *i, enum mpj_interval_of of, double energy_uj,
                       double core_s)
{
    const double dynamic = energy_uj - i->constant_mw * core_s * UJ_PER_MWS;

    if (!(i->level > 0) || isnan(dynamic))
        return NAN;
    return i->share[of] * (fmax(dynamic, 0) + i->least_mw * core_s * UJ_PER_MWS);
}

double mpj_run_interval_uj(const struct mpj_run *run, double energy_uj, uint64_t cycles)
{
    if (!run->model.present || !(run->clock_hz > 0))
        return NAN;
    return mpj_interval_uj(&run->model.interval, MPJ_OF_THREAD, energy_uj,
                           (double)cycles / run->clock_hz);
}
