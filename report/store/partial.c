/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that did not come to its end: what is known of it until then. */
#include "report/store.h"
#include "report_int.h"

/* Takes the figures of the cores and the chip from the emulator's truth, which has them when the
 * target sent nothing. */
static void take_truth(struct mpj_run *run)
{
    const struct mpj_truth *const t = &run->truth;

    for (unsigned k = 0; k < mpj_run_cores(run); k++) {
        struct mpj_core_result *const core = &run->core[k];
        if (core->present)
            continue;
        core->present = core->have_wfi = true;
        core->cycles = t->core[k].cycles;
        core->wfi_cycles = t->core[k].wfi_cycles;
        for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
            core->ev[i] = t->core[k].ev[i];
    }
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
        run->chip[i] = run->chip[i].present ? run->chip[i] : t->chip[i];
    run->cycles = run->cycles > 0 ? run->cycles : t->cycles;
}

static int on_last(void *ctx, sqlite3_stmt *s)
{
    struct loader *const l = ctx;

    if (sqlite3_column_type(s, 0) != SQLITE_NULL)
        l->end = sqlite3_column_int64(s, 0);
    return MPJ_E_OK;
}

int run_partial(struct loader *l)
{
    static const struct mpj_sql_step last = {"SELECT max(time) FROM adc WHERE pass = 0", on_last};
    struct mpj_run *const run = l->run;

    if (run->complete)
        return MPJ_E_OK;
    if (run->have_truth && run->clock_hz > 0 && run->truth.cycles > 0) {
        run->partial = true;
        run->time_s = (double)run->truth.cycles / run->clock_hz;
        take_truth(run);
        if (l->begun)
            l->end = l->begin + (int64_t)(run->time_s * run->time_hz);
        return MPJ_E_OK;
    }
    if (!l->begun || run->time_hz == 0)
        return MPJ_E_OK;
    if (mpj_sql_steps(l->db, l->path, &last, 1, l, l->err) != MPJ_E_OK)
        return l->err->code;
    run->partial = l->end > l->begin;
    if (run->partial)
        run->time_s = (double)(l->end - l->begin) / run->time_hz;
    return MPJ_E_OK;
}
