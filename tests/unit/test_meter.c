/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An external power meter: its lines, of every kind, and where its clock stands, to 1 ms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_meter.h"

/* ---- lines ---------------------------------------------------------------------- */

static int read_text(struct mpj_power *p, const char *text, size_t len, struct mpj_err *err)
{
    FILE *const f = len > 0 ? fmemopen((char *)text, len, "r") : fopen("/dev/null", "r");
    const int result = mpj_meter_read(p, f, "m", err);

    fclose(f);
    return result;
}

static void lines_are_read(void **state)
{
    static const char text[] = "# watts of channel A\n"
                               "time watts\n"
                               "\n"
                               "0.5 1.25\n"
                               "  0.75,\t-2.5e-1 V\r\n"
                               "+1;3;again\n"
                               "; a comment\n"
                               "1.5 4 5 6\n"
                               "2.0 9"; /* stopped in the middle of it */
    struct mpj_power p;
    struct mpj_err err;

    (void)state;
    assert_int_equal(read_text(&p, text, sizeof(text) - 1, &err), MPJ_E_OK);
    assert_int_equal(p.n, 4);
    assert_true(p.time_s[1] == 0.75 && p.watts[1] == -0.25 && p.time_s[2] == 1 && p.watts[3] == 4);
    mpj_power_free(&p);
}

static void bad_lines_are_named(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"1 2\n3\n", "m:2: two numbers"},
        {"1 2\n3 x\n", "m:2: two numbers"},
        {"1 2\n3x 4\n", "m:2: two numbers"},
        {"1 2\n3 4V\n", "m:2: two numbers"},
        {"1 2\n1 2\n", "m:2: time does not ascend"},
        {"1 2\n0.5 2\n", "m:2: time does not ascend"},
        {"1 nan\n2 2\n", "m:1: not a power"},
        {"1 inf\n2 2\n", "m:1: not a power"},
        {"1 -1e7\n2 2\n", "m:1: not a power"},
        {"1e400 1\n2 2\n", "m:1: not a time"},
        {"1700000000000000000 1\n", "m:1: not a time"},
        {"", "m: the meter said nothing"},
        {"no device found\n", "m: the meter said nothing"},
        {"1 2", "m: the meter said nothing"},
        {"1 2\n", "m: the meter said nothing"},
    };
    static const char zero[] = "1 2\n2 \0 3\n";
    struct mpj_power p;
    struct mpj_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_text(&p, bad[i].text, strlen(bad[i].text), &err), MPJ_E_LOG);
        mpj_power_free(&p);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)) != 0)
            fail_msg("\"%s\": %s", bad[i].text, err.text);
    }
    assert_int_equal(read_text(&p, zero, sizeof(zero) - 1, &err), MPJ_E_LOG);
    mpj_power_free(&p);
    assert_string_equal(err.text, "m:2: a zero byte");
}

/* Whatever bytes come: no crash, and each sample is in order. */
static void any_bytes_are_survived(void **state)
{
    static const char alphabet[] = "0123456789.,; \t\n\r+-eEnaifx#\0\377";
    uint32_t seed = 1;
    char text[200];

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct mpj_power p;
        struct mpj_err err;
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525U + 1013904223U;
            text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        (void)read_text(&p, text, sizeof(text), &err);
        for (size_t i = 0; i < p.n; i++)
            assert_true(isfinite(p.watts[i]) && (i == 0 || p.time_s[i] > p.time_s[i - 1]));
        mpj_power_free(&p);
    }
}

/* ---- clocks --------------------------------------------------------------------- */

#define EDGES 40

static double edge[EDGES], level[EDGES + 1]; /* the true power, over seconds of the target */

static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (1U << 24) - 0.5;
}

static void draw_power(double length, uint32_t seed)
{
    for (unsigned i = 0; i < EDGES; i++) {
        edge[i] = length * (i + 0.5 + 0.8 * noise(&seed)) / EDGES;
        level[i] = 0.6 + 0.5 * noise(&seed);
    }
    level[0] = level[EDGES] = 0.2;
}

static double power(double t)
{
    unsigned i = 0;

    while (i < EDGES && t >= edge[i])
        i++;
    return level[i];
}

static void sample(struct mpj_power *p, double from, double to, double step, double offset,
                   double skew, double gain, double more, double noisy, uint32_t seed)
{
    const size_t n = (size_t)((to - from) / step);

    p->n = n;
    p->time_s = malloc(n * sizeof(double));
    p->watts = malloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const double t = from + step * (double)i;
        p->time_s[i] = offset + (1 + skew) * t;
        p->watts[i] = gain * power(t) + more + noisy * noise(&seed);
    }
}

static void clocks_are_found(void **state)
{
    static const struct {
        double length, adc_step, step, offset, skew, gain, more, noisy;
    } cases[] = {
        {10, 1e-3, 1e-3, 0, 0, 1, 0, 0},
        {10, 1e-3, 0.7e-3, 12.345, 180e-6, 1, 0, 0.02},
        {10, 1e-3, 1e-3, 1.7e9, -950e-6, 1.07, 2.5, 0.1},
        {2, 1e-3, 50e-6, -3.21, 40e-6, 0.9, 0.1, 0.3},
        {30, 2e-3, 1e-3, 100.5, -75e-6, 1, 0.3, 0.05},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double length = cases[i].length;
        struct mpj_power adc, meter;
        struct mpj_meter m = {0};
        struct mpj_err err;
        double truth = 0;

        draw_power(length, (uint32_t)i + 7);
        for (double t = 0; t < length; t += 1e-4)
            truth += power(t) * 1e-4;
        sample(&adc, 0.0004, length, cases[i].adc_step, 0, 0, 1, 0, 0.01, 5);
        sample(&meter, -1.3, length + 0.7, cases[i].step, cases[i].offset, cases[i].skew,
               cases[i].gain, cases[i].more, cases[i].noisy, 6);
        if (mpj_meter_align(&m, &meter, &adc, 0, length, truth * 1e6, &err) != MPJ_E_OK)
            fail_msg("case %zu: %s", i, err.text);
        /* where its clock stands at both ends of the run */
        if (!(fabs(m.offset_s - cases[i].offset) < 1e-3) ||
            !(fabs(m.offset_s - cases[i].offset + (m.skew_ppm / 1e6 - cases[i].skew) * length) <
              1e-3))
            fail_msg("case %zu: offset %.6f, not %.6f; skew %.2f ppm, not %.2f", i, m.offset_s,
                     cases[i].offset, m.skew_ppm, cases[i].skew * 1e6);
        assert_true(fabs(m.gain - cases[i].gain) < 0.02);
        assert_true(fabs(m.energy_uj / 1e6 - cases[i].gain * truth - cases[i].more * length) <
                    0.003 * (truth + cases[i].more * length));
        mpj_power_free(&adc);
        mpj_power_free(&meter);
    }
}

static void refused(const struct mpj_power *meter, const struct mpj_power *adc, const char *says)
{
    struct mpj_meter m = {0};
    struct mpj_err err;

    assert_int_equal(mpj_meter_align(&m, meter, adc, 0, 10, 1, &err), MPJ_E_LOG);
    if (strstr(err.text, says) == NULL)
        fail_msg("not \"%s\": %s", says, err.text);
}

static void what_is_uncertain_is_refused(void **state)
{
    struct mpj_power adc, meter, other;

    (void)state;
    draw_power(10, 1);
    sample(&adc, 0, 10, 1e-3, 0, 0, 1, 0, 0.01, 2);
    sample(&meter, 2, 8, 1e-3, 0, 0, 1, 0, 0.01, 3);
    refused(&meter, &adc, "shorter than");
    mpj_power_free(&meter);
    sample(&meter, -1, 11, 1e-3, 0, 0, 0, 0.5, 0.01, 3); /* of something else */
    refused(&meter, &adc, "does not follow");
    mpj_power_free(&meter);
    sample(&meter, -1, 300, 0.1, 0, 0, 1, 0, 0, 3);
    refused(&meter, &adc, "more than 20 times");
    mpj_power_free(&meter);
    sample(&meter, -1, 11, 1, 0, 0, 1, 0, 0, 3);
    refused(&meter, &adc, "too few samples");
    mpj_power_free(&meter);
    for (unsigned i = 0; i < EDGES; i++) { /* the same again and again */
        edge[i] = -5 + 0.5 * i;
        level[i] = i % 2 ? 0.5 : 1;
    }
    sample(&other, 0, 10, 1e-3, 0, 0, 1, 0, 0.01, 3);
    sample(&meter, -4, 14, 1e-3, 0, 0, 1, 0, 0.01, 4);
    refused(&meter, &other, "repeats itself");
    mpj_power_free(&meter);
    mpj_power_free(&other);
    mpj_power_free(&adc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(clocks_are_found),
        cmocka_unit_test(what_is_uncertain_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
