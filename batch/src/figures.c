/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the measurements of a run to figures by name. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "batch/orders.h"
#include "report/energy.h"
#include "run/cache.h"

static void add_events(json_t *figures, const json_t *holder)
{
    const char *name;
    json_t *v;

    json_object_foreach(json_object_get(holder, "events"), name, v) json_object_set_new(
        figures, name,
        json_real(json_number_value(json_object_get(figures, name)) + json_number_value(v)));
}

/* Adds sums of all events: the emulator's exact counts. */
static void all_events(json_t *figures, const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    const json_t *const from = truth != NULL ? truth : run;
    size_t i;
    json_t *core;

    json_array_foreach(json_object_get(from, "cores"), i, core) add_events(figures, core);
    add_events(figures, json_object_get(from, "scu"));
    add_events(figures, json_object_get(from, "l2"));
}

/* Returns the seconds of all cores in which they did not wait for an interrupt. */
static double busy(const json_t *run)
{
    const double hz = json_number_value(json_object_get(run, "clock_hz"));
    const json_t *const truth = json_object_get(run, "truth");
    const json_t *const cores = json_object_get(truth != NULL ? truth : run, "cores");
    double cycles = 0;
    size_t i;
    json_t *core;

    json_array_foreach(cores, i, core) cycles +=
        json_number_value(json_object_get(core, "cycles")) -
        json_number_value(json_object_get(core, "wfi_cycles"));
    return hz > 0 ? cycles / hz : 0;
}

/* Adds exact_...: the emulator's exact values of the whole chip and of each core's energy; joules,
 * cycles. */
static void exact(json_t *figures, const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    double ran = 0;
    double waited = 0;
    size_t i;
    json_t *core;

    if (truth == NULL)
        return;
    json_put_real(figures, "exact_cycles", json_number_value(json_object_get(truth, "cycles")));
    json_put_real(figures, "exact_energy",
                  json_number_value(json_object_get(truth, "energy_uj")) * 1e-6);
    json_put_real(figures, "exact_shared",
                  json_number_value(json_object_get(truth, "shared_energy_uj")) * 1e-6);
    json_array_foreach(json_object_get(truth, "cores"), i, core)
    {
        const double wfi = json_number_value(json_object_get(core, "wfi_cycles"));
        char name[32];
        snprintf(name, sizeof(name), "exact_core%zu", i);
        json_put_real(figures, name, json_number_value(json_object_get(core, "energy_uj")) * 1e-6);
        ran += json_number_value(json_object_get(core, "cycles")) - wfi;
        waited += wfi;
    }
    json_put_real(figures, "exact_run", ran);
    json_put_real(figures, "exact_wfi", waited);
}

/* Adds wait_NAME: seconds that a thread of this name was blocked, the mean of those that have
 * it. */
static void waits(json_t *figures, const json_t *run)
{
    json_t *const count = json_object();
    size_t i;
    json_t *thread;

    json_array_foreach(json_object_get(run, "threads"), i, thread)
    {
        const char *const name = json_string_value(json_object_get(thread, "name"));
        const double blocked = json_number_value(json_object_get(thread, "block_s"));
        char key[80];
        double n;
        if (name == NULL)
            continue;
        snprintf(key, sizeof(key), "wait_%s", name);
        n = json_number_value(json_object_get(count, key));
        json_put_real(figures, key,
                      (json_number_value(json_object_get(figures, key)) * n + blocked) / (n + 1));
        json_put_real(count, key, n + 1);
    }
    json_decref(count);
}

/* Adds region_wait: the share of their time that threads did not run in parallel regions. */
static void regions(json_t *figures, const json_t *run)
{
    double had = 0;
    double ran = 0;
    size_t i;
    json_t *region;

    json_array_foreach(json_object_get(run, "regions"), i, region)
    {
        const double team = json_number_value(json_object_get(region, "team"));
        if (team < 2)
            continue;
        had += team * json_number_value(json_object_get(region, "wall_s"));
        ran += json_number_value(json_object_get(region, "run_s"));
    }
    if (had > 0)
        json_put_real(figures, "region_wait", 1 - ran / had);
}

json_t *run_figures(const json_t *run, const char *stem)
{
    json_t *const o = json_object();
    const json_t *const energy =
        json_object_get(json_object_get(json_object_get(run, "adc"), "processor"), "energy_uj");
    const double time = json_number_value(json_object_get(run, "time_s"));
    const double joule = json_number_value(energy) * 1e-6;
    char *const store = run_cache_file(stem, ".mpj");
    struct mpj_energy *samples = NULL;
    struct mpj_err ignored; /* a run without samples has no peak */

    all_events(o, run);
    exact(o, run);
    waits(o, run);
    regions(o, run);
    json_put_real(o, "time", time);
    json_put_real(o, "busy", busy(run));
    if (energy != NULL) {
        json_put_real(o, "energy", joule);
        json_put_real(o, "edp", joule * time);
        json_put_real(o, "ed2p", joule * time * time);
        json_put_real(o, "power", time > 0 ? joule / time : 0);
        if (store != NULL && mpj_energy_load(&samples, store, NULL, NULL, &ignored) == MPJ_E_OK)
            json_put_real(o, "peak_power", samples->power_max_uw[0] * 1e-6);
    }
    mpj_energy_free(samples);
    free(store);
    return o;
}
