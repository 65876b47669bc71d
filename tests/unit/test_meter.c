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

#include "report/meter.h"

/* ---- lines ---------------------------------------------------------------------- */

static int read_text(struct mpj_meter_stream *p, const char *text, size_t len, struct mpj_err *err)
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
    struct mpj_meter_stream p;
    struct mpj_err err;

    (void)state;
    assert_int_equal(read_text(&p, text, sizeof(text) - 1, &err), MPJ_E_OK);
    assert_int_equal(p.n, 4);
    assert_true(p.time_s[1] == 0.75 && p.channel[0].watts[1] == -0.25 && p.time_s[2] == 1 &&
                p.channel[0].watts[3] == 4);
    mpj_meter_free(&p);
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
    struct mpj_meter_stream p;
    struct mpj_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_text(&p, bad[i].text, strlen(bad[i].text), &err), MPJ_E_LOG);
        mpj_meter_free(&p);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)) != 0)
            fail_msg("\"%s\": %s", bad[i].text, err.text);
    }
    assert_int_equal(read_text(&p, zero, sizeof(zero) - 1, &err), MPJ_E_LOG);
    mpj_meter_free(&p);
    assert_string_equal(err.text, "m:2: a zero byte");
}

static void channels_are_named(void **state)
{
    static const char text[] = "# a power monitor\n"
                               "time:ms core:mW:2% board:V:0.1%, ddr:uW board:mA:0.5%\n"
                               "500 1250 5 300000 200 more\n"
                               "# time: 12:30\n"
                               "501,1260,5.1,310000,201\n";
    static const char comment[] = "# time:us a:W\n1 2\n2 3\n";
    struct mpj_meter_stream m;
    struct mpj_err err;

    (void)state;
    assert_int_equal(read_text(&m, text, sizeof(text) - 1, &err), MPJ_E_OK);
    assert_true(m.named && m.channels == 3 && m.n == 2);
    assert_string_equal(m.channel[0].name, "core");
    assert_string_equal(m.channel[1].unit, "V*mA");
    assert_string_equal(m.channel[2].unit, "uW");
    assert_true(m.channel[0].error_percent == 2 && fabs(m.channel[1].error_percent - 0.6) < 1e-12 &&
                isnan(m.channel[2].error_percent));
    assert_true(fabs(m.time_s[0] - 0.5) < 1e-12 && fabs(m.channel[0].watts[1] - 1.26) < 1e-12 &&
                fabs(m.channel[1].watts[1] - 5.1 * 0.201) < 1e-12 &&
                fabs(m.channel[2].watts[0] - 0.3) < 1e-12);
    mpj_meter_free(&m);
    assert_int_equal(read_text(&m, comment, sizeof(comment) - 1, &err), MPJ_E_OK);
    assert_true(m.named && m.time_s[1] == 2e-6);
    mpj_meter_free(&m);
}

static void bad_channels_are_named(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"time:h a:W\n", "m:1: the time is in s, ms or us, not in \"h\""},
        {"time:s\n", "m:1: no channel"},
        {"time:s core\n", "m:1: column core has no unit"},
        {"time:s core:\n", "m:1: channel core has the unknown unit \"\""},
        {"time:s core:W:\n", "m:1: the error of channel core is not a percentage"},
        {"time:s core:W:1\n", "m:1: the error of channel core is not a percentage"},
        {"time:s core:W:-1%\n", "m:1: the error of channel core is not a percentage"},
        {"time:s core:W:nan%\n", "m:1: the error of channel core is not a percentage"},
        {"time:s core:W:101%\n", "m:1: the error of channel core is not a percentage"},
        {"time:s core:kWh\n", "m:1: channel core has the unknown unit \"kWh\""},
        {"time:s core:m\n", "m:1: channel core has the unknown unit \"m\""},
        {"time:s core:W core:W\n", "m:1: channel core is there twice"},
        {"time:s core:A core:W\n", "m:1: channel core is there twice"},
        {"time:s core:mA core:V core:A\n", "m:1: channel core is there twice"},
        {"time:s core:A\n", "m:1: channel core has A and no V"},
        {"time:s core:W ddr:V\n", "m:1: channel ddr has V and no A"},
        {"time:s c*re:W\n", "m:1: \"c*re\" is not the name"},
        {"time:s :W\n", "m:1: \"\" is not the name"},
        {"time:s a:W b:W c:W d:W e:W f:W g:W h:W i:W\n", "m:1: more than 8 channels"},
        {"time:s a:W\ntime:s b:W\n", "m:2: the channels are named twice"},
        {"1 2\ntime:s b:W\n", "m:2: the channels are named after the first sample"},
        {"time:s a:W b:W\n1 2\n", "m:2: a number is expected in each column"},
        {"time:s a:W b:W\n1 2 x\n", "m:2: a number is expected in each column"},
        {"time:s a:W b:W\n1 2 nan\n", "m:2: not a power"},
        {"time:s b:V b:A\n1 2 inf\n", "m:2: not a power"},
        /* a power that is none of a board */
        {"time:s b:V b:A\n1 5 135600\n2 5 135600\n",
         "m: channel b would draw 678 kW on average: are its values really in A? if they are uA, "
         "head the lines with time:s b:uA"},
        {"time:s b:V b:mA\n1 5 135600\n2 5 135600\n",
         "m: channel b would draw 678 W on average: are its values really in mA? if they are uA, "
         "head the lines with time:s b:uA"},
        {"time:s a:W b:uW\n1 1 678e6\n2 1 678e6\n",
         "m: channel b would draw 678 W on average: are its values really in uW? check its values"},
        {"1 2500\n2 2500\n",
         "m: channel 1 would draw 2.5 kW on average: are its values really in W? if they are mW, "
         "head the lines with time:s board:mW"},
        {"time:s a:uW\n1 2\n2 2\n",
         "m: channel a would draw 2 uW on average: are its values really in uW? check its values"},
    };
    struct mpj_meter_stream m;
    struct mpj_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_text(&m, bad[i].text, strlen(bad[i].text), &err), MPJ_E_LOG);
        mpj_meter_free(&m);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)) != 0)
            fail_msg("\"%s\": %s", bad[i].text, err.text);
    }
}

/* Whatever bytes come: no crash, and each sample is in order. */
static void any_bytes_are_survived(void **state)
{
    static const char alphabet[] = "0123456789.,; \t\n\r+-eEnaifx#\0\377";
    uint32_t seed = 1;
    char text[200];

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct mpj_meter_stream p;
        struct mpj_err err;
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525U + 1013904223U;
            text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        (void)read_text(&p, text, sizeof(text), &err);
        for (size_t i = 0; i < p.n; i++)
            assert_true(isfinite(p.channel[0].watts[i]) &&
                        (i == 0 || p.time_s[i] > p.time_s[i - 1]));
        mpj_meter_free(&p);
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

/* Without an ADC: when the program ran is when the power is another one. */
static void a_window_is_found(void **state)
{
    static const struct {
        double length, step, offset, level, noisy;
    } cases[] = {
        {2, 1e-3, 12.5, 0.4, 0.02},
        {0.5, 1.1e-3, 1.7e9, 0.3, 0.05},
        {7, 10e-3, -3, -0.2, 0.01},   /* less than in its loader */
        {0.03, 0.3e-3, 3, 0.2, 0.01}, /* much less time than that */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double length = cases[i].length;
        const double want = (2 + cases[i].level) * length * 1e6;
        const struct mpj_meter_stream none = {0};
        struct mpj_meter m = {.present = true};
        struct mpj_power meter;
        struct mpj_err err;
        for (unsigned k = 0; k < EDGES; k++) {
            edge[k] = k == 0 ? 0 : length;
            level[k] = k == 1 ? 2 + cases[i].level : 2;
        }
        level[EDGES] = 2;
        sample(&meter, -1.2, length + 0.5, cases[i].step, cases[i].offset, 0, 1, 0, cases[i].noisy,
               (uint32_t)i + 1);
        if (mpj_meter_window(&m, &meter, length, &err) != MPJ_E_OK)
            fail_msg("case %zu: %s", i, err.text);
        if (cases[i].level > 0 && !(fabs(m.offset_s - cases[i].offset) < cases[i].step))
            fail_msg("case %zu: offset %.6f, not %.6f", i, m.offset_s, cases[i].offset);
        if (!(fabs(m.energy_uj / want - 1) < 0.002))
            fail_msg("case %zu: energy %.1f, not %.1f uJ", i, m.energy_uj, want);
        assert_true(m.by_window && m.skew_ppm == 0 && isnan(m.adc_percent));
        assert_int_equal(mpj_meter_channels(&m, &none, 0, length, &err), MPJ_E_OK);
        mpj_power_free(&meter);
    }
}

static void window_refused(const struct mpj_power *meter, double length, const char *says)
{
    struct mpj_meter m = {0};
    struct mpj_err err;

    assert_int_equal(mpj_meter_window(&m, meter, length, &err), MPJ_E_LOG);
    if (strstr(err.text, says) == NULL)
        fail_msg("not \"%s\": %s", says, err.text);
}

static void an_uncertain_window_is_refused(void **state)
{
    struct mpj_power meter;

    (void)state;
    draw_power(3, 1);
    for (unsigned i = 0; i <= EDGES; i++)
        level[i] = 1;
    sample(&meter, -1, 4, 1e-3, 0, 0, 1, 0, 0.1, 3); /* always the same */
    window_refused(&meter, 2, "does not show when the program began");
    window_refused(&meter, 4.95, "shorter than");
    meter.n = 10;
    window_refused(&meter, 2, "too few samples");
    mpj_power_free(&meter);
    for (unsigned i = 0; i < EDGES; i++) { /* several alike */
        edge[i] = -1 + 0.5 * i;
        level[i] = i % 2 ? 0.5 : 1;
    }
    sample(&meter, -1.7, 9, 1e-3, 0, 0, 1, 0, 0.01, 3);
    window_refused(&meter, 0.5, "does not show when the program began");
    mpj_power_free(&meter);
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
        cmocka_unit_test(channels_are_named),
        cmocka_unit_test(bad_channels_are_named),
        cmocka_unit_test(a_window_is_found),
        cmocka_unit_test(an_uncertain_window_is_refused),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(clocks_are_found),
        cmocka_unit_test(what_is_uncertain_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
