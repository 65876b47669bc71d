/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a predictor: what is one has numbers for everything, and can be written and read
 * again. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "models/scaling.h"

/* A predictor as text, its length. */
static size_t put(const struct mpj_scaling *p, char **text)
{
    size_t n = 0;
    FILE *const f = open_memstream(text, &n);
    struct mpj_err err;

    if (f == NULL || mpj_scaling_put(p, f, &err) != MPJ_E_OK || fclose(f) != 0)
        abort();
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mpj_scaling_region region = {.s = {4e-3, 2e-3, 1.5e-3, 1e-3},
                                                     .mw = {550, 560, 570, 580},
                                                     .ipc = {0.5, 0.9, 1.2, 1.5},
                                                     .busy = {1, 1, 0.9, 0.8}};
    struct mpj_scaling_accuracy judged;
    struct mpj_scaling p;
    struct mpj_scaling second;
    struct mpj_err err;
    char sent[MPJ_SCALING_TEXT];
    char *text = NULL;
    size_t n;

    if (mpj_scaling_load(&p, fuzz_file(data, size), &err) != MPJ_E_OK) {
        if (strchr(err.text, '\n') != NULL)
            abort(); /* a line for people is one line */
        return 0;
    }
    for (unsigned i = 0; i < sizeof(p.ipc) / sizeof(double); i++) {
        if (!isfinite(((const double *)p.ipc)[i]))
            abort();
    }
    mpj_scaling_judge(&p, &region, 1, 0, &judged);
    if (mpj_scaling_text(&p, sent, &err) == MPJ_E_OK && strlen(sent) >= sizeof(sent))
        abort();
    n = put(&p, &text);
    if (mpj_scaling_load(&second, fuzz_file((const uint8_t *)text, n), &err) != MPJ_E_OK)
        abort();
    free(text);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    struct mpj_scaling p = {.chip = "a chip",
                            .calibration = "mprofiler",
                            .version = "0.1.0",
                            .abi = 1,
                            .programs = 9,
                            .regions = rng() % 200U,
                            .event = {"instr", "lsu_stall"},
                            .knot = {0.5, 0.4, 2.3, 0.3}};
    double *const line = (double *)p.ipc;
    double *const power = (double *)p.power;
    char *text = NULL;
    size_t n;

    for (unsigned i = 0; i < sizeof(p.ipc) / sizeof(double); i++)
        line[i] = (double)(rng() % 2000U) / 1000 - 1;
    for (unsigned i = 0; i < sizeof(p.power) / sizeof(double); i++)
        power[i] = rng() % 600U;
    n = put(&p, &text);
    if (rng() % 8U == 0) { /* what is no number, and lines that are missing or there twice */
        char *const at = strstr(text, rng() % 2U ? "ipc 3" : "power");
        if (at != NULL && rng() % 2U)
            memcpy(at + 9, " nan ", 5);
        else
            n -= rng() % 40U;
    }
    n = n < cap ? n : cap;
    memcpy(out, text, n);
    free(text);
    return n;
}
