/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as the laws by which chips scale, applied to the shipped calibration. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore_int.h"
#include "fuzz_file.h"

static void scale(const json_t *laws, const json_t *calibration)
{
    static const struct {
        double l2_kb, l1d_kb, clock_mhz;
        unsigned cores;
    } chips[] = {{1024, 32, 210, 4}, {0, 8, 400, 1}, {256, 64, 100, 2}};

    for (unsigned i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        struct run_explore_chip chip;
        struct mpj_err err;
        json_t *keys;

        run_explore_base(calibration, 4, &chip);
        chip.l2_kb = chips[i].l2_kb;
        chip.l1d_kb = chips[i].l1d_kb;
        chip.clock_mhz = chips[i].clock_mhz;
        chip.cores = chips[i].cores;
        keys = run_explore_scale(calibration, laws, &chip, &err);
        if (keys == NULL && strchr(err.text, '\n') != NULL)
            abort();
        if (keys != NULL)
            (void)run_explore_area(laws, &chip);
        if (keys != NULL)
            (void)run_explore_leaks(calibration, laws, &chip);
        json_decref(keys);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static json_t *calibration;
    struct mpj_err err;
    json_t *laws;

    if (calibration == NULL)
        calibration = run_explore_read(FUZZ_CALIBRATIONS "/mprofiler.conf", &err);
    if (calibration == NULL)
        abort();
    laws = run_explore_read(fuzz_file(data, size), &err);
    if (laws == NULL && strchr(err.text, '\n') != NULL)
        abort();
    if (laws != NULL && run_explore_check_laws(laws, calibration, "input", &err) == MPJ_E_OK)
        scale(laws, calibration);
    json_decref(laws);
    return 0;
}

/* The shipped laws without their comments, other numbers, and what may be wrong in a line. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const odd[] = {"",          "no_such = 1\n",   "name = x\n",   "x = nan\n",
                                      "no equals", "include input\n", "vary = a b\n", "A = 1\n"};
    char line[512];
    FILE *const f = fopen(FUZZ_CALIBRATIONS "/scaling.laws", "re");
    size_t n = 0;

    if (f == NULL)
        abort();
    while (fgets(line, sizeof(line), f) != NULL && n + sizeof(line) + 64 < cap) {
        char *const hash = strchr(line, '#');
        char *const equals = strchr(line, '=');
        if (hash != NULL)
            strcpy(hash, "\n");
        if (line[strspn(line, " \t\n")] == '\0' || rng() % 200U == 0)
            continue;
        if (equals != NULL && rng() % 8U == 0)
            snprintf(equals, 32, "= %d.%u\n", (int)(rng() % 400U) - 100, rng() % 100U);
        n += (size_t)snprintf((char *)out + n, cap - n, "%s", line);
    }
    fclose(f);
    return n + (size_t)snprintf((char *)out + n, cap - n, "%s", odd[rng() % 8U]);
}
