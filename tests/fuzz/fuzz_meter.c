/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as what the command of a power meter prints, and whatever is one beside an ADC. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/meter.h"

#define ADC 400U

/* The same where there is no ADC: a program of that length. */
static void find_window(const struct mpj_meter_stream *said, const struct mpj_power *power)
{
    struct mpj_meter meter = {.present = false};
    struct mpj_err err;

    if (mpj_meter_window(&meter, power, ADC * 1e-3, &err) != MPJ_E_OK) {
        if (strchr(err.text, '\n') != NULL)
            abort();
        return;
    }
    if (!isfinite(meter.energy_uj) || !isfinite(meter.offset_s))
        abort();
    if (mpj_meter_channels(&meter, said, 0, ADC * 1e-3, &err) == MPJ_E_OK &&
        meter.channels > MPJ_METER_CHANNELS_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double time_s[ADC];
    static double watts[ADC];
    const struct mpj_power adc = {ADC, time_s, watts};
    struct mpj_meter_stream said;
    struct mpj_power power;
    struct mpj_meter meter = {.present = false};
    struct mpj_err err;
    FILE *const f = fmemopen((void *)(uintptr_t)(size > 0 ? data : (const uint8_t *)" "),
                             size > 0 ? size : 1, "r");
    int result;

    if (f == NULL)
        abort();
    for (unsigned i = 0; i < ADC; i++) { /* edges that do not repeat themselves */
        time_s[i] = i * 1e-3;
        watts[i] = 0.5 + 0.1 * ((i * i / 700U) % 3U);
    }
    result = mpj_meter_read(&said, f, "input", &err);
    fclose(f);
    for (unsigned k = 0; k < said.channels; k++) {
        for (size_t i = 0; result == MPJ_E_OK && i < said.n; i++) {
            if (!isfinite(said.channel[k].watts[i]))
                abort();
        }
    }
    power = mpj_meter_power(&said, 0);
    if (result == MPJ_E_OK)
        find_window(&said, &power);
    for (size_t i = 0; result == MPJ_E_OK && i < power.n; i++) {
        if (!isfinite(power.watts[i]) || !isfinite(power.time_s[i]) ||
            (i > 0 && power.time_s[i] <= power.time_s[i - 1]))
            abort();
    }
    if (result == MPJ_E_OK)
        result = mpj_meter_align(&meter, &power, &adc, 0, ADC * 1e-3, 2e5, &err);
    if (result == MPJ_E_OK &&
        !(isfinite(meter.energy_uj) && isfinite(meter.offset_s) && fabs(meter.skew_ppm) <= 2000))
        abort();
    if (result != MPJ_E_OK && strchr(err.text, '\n') != NULL)
        abort();
    mpj_meter_free(&said);
    return 0;
}

/* A meter that saw the same edges, with an origin of its own and noise; at times a heading or a
 * line that is none. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const odd[] = {"# time power\n",
                                      "time,power\n",
                                      "nan 1\n",
                                      "1e300 2\n",
                                      "3 1e9\n",
                                      "5\n",
                                      "\n",
                                      "x 1 2\n",
                                      "time:s core:mW ddr:uW\n",
                                      "# time:ms b:V b:A\n"};
    const double origin = rng() % 3U == 0 ? 1.6e9 : rng() % 100U;
    const double step = rng() % 2U ? 1e-3 : 2.5e-3;
    size_t n = 0;

    for (unsigned i = 0; i < 600U && n + 64 < cap; i++) {
        const double at = i * step - 0.05;
        const unsigned k = at > 0 ? (unsigned)(at * 1000) : 0;
        const double w = 0.5 + 0.1 * ((k * k / 700U) % 3U) + (rng() % 100U) * 1e-5;
        n += (size_t)snprintf((char *)out + n, cap - n, "%.6f%c%.5f W\n", origin + at,
                              " ,;\t"[rng() % 4U], w);
        if (rng() % 500U == 0)
            n += (size_t)snprintf((char *)out + n, cap - n, "%s", odd[rng() % 10U]);
    }
    return n;
}
