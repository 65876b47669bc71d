/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a model file, and whatever is one, applied to a run: errors, never a crash. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "models/model.h"

/* What can be read can be written, and read again. */
static void again(const struct mpj_model *m)
{
    static struct mpj_model second;
    const char *const path = fuzz_file((const uint8_t *)"", 0);
    struct mpj_err err;

    if (mpj_model_save(m, path, &err) != MPJ_E_OK ||
        mpj_model_load(&second, path, &err) != MPJ_E_OK || second.terms != m->terms)
        abort();
}

static struct mpj_value counted[2][MPJ_RUN_EVENTS_MAX];
static struct mpj_thread_result thread[2] = {
    {.id = 1, .run_s = 0.1, .cycles = 100, .ev = counted[0]}, {.id = 2, .ev = counted[1]}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mpj_model m;
    static struct mpj_run run;
    struct mpj_err err;

    if (mpj_model_parse(&m, (const char *)data, size, "input", &err) != MPJ_E_OK) {
        if (strchr(err.text, '\n') != NULL)
            abort(); /* a line for people is one line */
        return 0;
    }
    if (size % 4U == 0)
        again(&m);
    memset(&run, 0, sizeof(run));
    mpj_run_columns(&run, NULL);
    run.complete = true;
    run.time_s = 0.1;
    run.clock_hz = 210000000;
    run.threads = 2;
    run.thread = thread;
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++) {
        const struct mpj_value v = {
            .present = size % 7 != 0 || e % 5 != 0, .value = e * 1000, .coverage = 1.0};
        run.chip[e] = run.core[0].ev[e] = thread[0].ev[e] = v;
    }
    run.core[0].present = run.core[0].have_wfi = true;
    run.core[0].cycles = 1000000;
    if (mpj_model_apply(&m, &run, &err) == MPJ_E_OK && !run.model.present)
        abort();
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    char text[6000];
    size_t n = 0;
    const unsigned terms = rng() % 6U;

    n += (size_t)snprintf(text + n, sizeof(text) - n,
                          "{\"format\":\"mpjoule-model/1\",\"name\":\"m\",\"method\":\"paper\","
                          "\"per_core\":%s,\"constant_mw\":%u.5,\"terms\":[",
                          rng() % 2U ? "true" : "false", rng() % 2000U);
    for (unsigned i = 0; i < terms; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "%s{\"predictor\":\"%s\",\"coefficient_mw_s\":%de-%u,\"vif\":%s,"
                              "\"range_per_s\":[%u,%u]}",
                              i > 0 ? "," : "", mpj_predictor_name(rng() % mpj_predictors()),
                              (int)rng() % 1000, rng() % 330U, rng() % 3U ? "1.5" : "null", rng(),
                              rng());
    n += (size_t)snprintf(text + n, sizeof(text) - n,
                          "],\"statistics\":{\"max_error_percent\":%u,\"r2\":0.9},\"provenance\":"
                          "{\"target\":\"sim\",\"calibration\":\"%s\",\"seed\":\"%u\","
                          "\"programs\":200}}",
                          rng() % 10U, rng() % 2U ? "epro-mp" : "", rng());
    n = n < cap ? n : cap;
    memcpy(out, text, n);
    return n;
}
