/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host that names no ADC period (CONFIG.adc_period_us = 0): the target samples with its default,
 * and functions are measured in periods of it. usage: no_period PROGRAM.elf   (built with cc
 * --functions)
 */
#include <stdio.h>

#include "report/run.h"
#include "run/passes.h"
#include "run/run_target.h"
#include "tile_limits.h"

static int fail(const char *what)
{
    fprintf(stderr, "FAILED: %s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    const struct run_watch watch = {0};
    struct run_measurement r = {.o = {.target = RUN_EMULATOR,
                                      .quantum = TILE_QUANTUM_DEFAULT,
                                      .seed = TILE_SEED_DEFAULT,
                                      .timeout_s = 120,
                                      .trace = {.flags = MPJ_TRACE_FUNCTIONS, .groups = 1},
                                      .elf = argv[argc - 1],
                                      .argv = {argv[argc - 1]},
                                      .argc = 1,
                                      .store = "default_period.mpj"}};
    struct mpj_run *run = NULL;
    struct mpj_err err;
    unsigned made = 0;
    int status = 0;

    if (run_prepare(&r, &err) != MPJ_E_OK || run_passes(&r, &watch, &made, &err) != MPJ_E_OK ||
        run_store(&r, made, NULL, &err) != MPJ_E_OK ||
        mpj_run_load(&run, r.o.store, &err) != MPJ_E_OK) {
        status = fail(err.text);
    } else {
        printf("period %u us, %u samples in %.3f s\n", run->adc_period_us, run->adc_samples,
               run->time_s);
        if (run->adc_period_us != TILE_SAMPLE_US_DEFAULT || run->adc_samples == 0)
            status = fail("not sampled with the default period");
    }
    mpj_run_free(run);
    run_release(&r);
    return status;
}
