/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings made here: energies that are known, phases, and what a check must not miss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "log_maker.h"
#include "report/energy.h"
#include "report/store.h"
#include "test_dir.h"

#define HZ     LOG_HZ
#define PERIOD LOG_PERIOD

static struct mpj_err err;

static const char *recorded_on = "tile0";

static void begin_log(uint64_t begin)
{
    log_begin("e.mplog", recorded_on, begin);
    log_meta("planned_s", "0.5");
}

static void end_log(uint64_t time)
{
    log_end(time, 0);
}

/* V, I and those of the PLL, which moves a little. */
static void sample(uint64_t index, uint64_t time, uint16_t v, uint16_t i)
{
    const uint16_t code[MPJ_ADC_CHANNELS] = {
        [MPJ_ADC_CPU_V] = v,
        [MPJ_ADC_CPU_I] = i,
        [MPJ_ADC_PLL_V] = (uint16_t)(2037 + index % 2),
        [MPJ_ADC_PLL_I] = (uint16_t)(1561 + index % 3),
    };

    log_sample_all(index, time, code);
}

static void mark(uint64_t time, const char *name, int64_t value)
{
    const struct mpj_mark m = {.time = time,
                               .name = {(const uint8_t *)name, strlen(name)},
                               .value = value,
                               .origin = name[0] == '\0' ? MPJ_MARK_HOST : MPJ_MARK_PROGRAM};

    log_data(mpj_mark_put(log_payload(), &m));
}

static void label(uint64_t number, const char *text)
{
    struct mpj_writer *const w = log_payload();

    mpj_put_varint(w, number);
    mpj_put_bytes(w, text, strlen(text));
    log_frame(MPJ_LOG_LABEL);
}

static struct mpj_energy *load(void)
{
    struct mpj_energy *e = NULL;

    assert_int_equal(mpj_energy_load(&e, "e.mplog", NULL, NULL, &err), 0);
    return e;
}

static const struct mpj_energy_check *check(const struct mpj_energy *e, const char *name)
{
    for (unsigned i = 0; i < e->checks; i++) {
        if (strcmp(e->check[i].name, name) == 0)
            return &e->check[i];
    }
    fail_msg("no check %s", name);
    return NULL;
}

static void says(const struct mpj_energy *e, const char *name, enum mpj_verdict verdict,
                 const char *words)
{
    const struct mpj_energy_check *const c = check(e, name);

    if (c->verdict != verdict || strstr(c->text, words) == NULL)
        fail_msg("%s: verdict %d, \"%s\"; not %d, \"%s\"", name, c->verdict, c->text, verdict,
                 words);
}

/* uJ of codes for a time in us. */
static double uj(unsigned v, unsigned i, double us)
{
    return v * 610e-6 * i * 244e-6 * us;
}

/*
 * A run from 100 to 150 ms with samples at 110, 120, 130, 140 ms, which stand for 100 to 115, to
 * 125, to 135, to 150. Marks at 105, 120 and 133 ms cut these.
 */
static void phases(void **state)
{
    struct mpj_energy *e;

    (void)state;
    begin_log(100000);
    label(1, "from \"here\"");
    sample(0, 110000, 2000, 1000);
    mark(120000, "b", 7);
    mark(105000, "a", 0); /* arrives later than one that is later */
    sample(1, 120000, 2010, 1100);
    sample(2, 130000, 2020, 1200);
    mark(133000, "", 1);
    sample(3, 140000, 2030, 1300);
    end_log(150000);
    e = load();
    assert_float_equal(e->time_s, 0.05, 1e-12);
    assert_int_equal(e->samples, 4);
    assert_int_equal(e->lost, 0);
    assert_float_equal(e->rail[0].energy_uj,
                       uj(2000, 1000, 15e3) + uj(2010, 1100, 10e3) + uj(2020, 1200, 10e3) +
                           uj(2030, 1300, 15e3),
                       1e-6);
    assert_float_equal(e->rail[0].v_avg_uv,
                       610.0 * (2000 * 15 + 2010 * 10 + 2020 * 10 + 2030 * 15) / 50, 1e-6);
    assert_float_equal(e->power_min_uw[0], uj(2000, 1000, 1e6), 1e-6);
    assert_float_equal(e->power_max_uw[0], uj(2030, 1300, 1e6), 1e-6);
    assert_int_equal(e->phases, 4);
    assert_int_equal(e->marks, 3);
    assert_null(e->phase[0].name);
    assert_float_equal(e->phase[0].rail[0].energy_uj, uj(2000, 1000, 5e3), 1e-6);
    assert_string_equal(e->phase[1].name, "a");
    assert_float_equal(e->phase[1].rail[0].energy_uj, uj(2000, 1000, 10e3) + uj(2010, 1100, 5e3),
                       1e-6);
    assert_string_equal(e->phase[2].name, "b");
    assert_int_equal(e->phase[2].value, 7);
    assert_false(e->phase[2].by_host);
    assert_float_equal(e->phase[2].rail[0].energy_uj, uj(2010, 1100, 5e3) + uj(2020, 1200, 8e3),
                       1e-6);
    assert_int_equal(e->phase[2].samples, 2);
    assert_string_equal(e->phase[3].name, "from \"here\"");
    assert_true(e->phase[3].by_host);
    assert_float_equal(e->phase[3].rail[0].energy_uj, uj(2020, 1200, 2e3) + uj(2030, 1300, 15e3),
                       1e-6);
    assert_float_equal(e->phase[3].rail[0].i_avg_ua, 244.0 * (1200 * 2 + 1300 * 15) / 17, 1e-6);
    says(e, "file", MPJ_CHECK_OK, "whole, closed normally; of 0.5 s planned, 0.450 s are missing");
    says(e, "samples", MPJ_CHECK_OK, "none of 4 lost");
    says(e, "range", MPJ_CHECK_OK, "");
    mpj_energy_free(e);
}

/* Whatever the view, log and store say the same. */
static void store(void **state)
{
    static const char *const logs[] = {"e.mplog"};
    static const char *const files[] = {"e.mplog", "e.mpj"};
    char *text[2][5];
    size_t len;

    (void)state;
    phases(state);
    assert_int_equal(mpj_store_build("e.mpj", logs, 1, NULL, &err), 0);
    for (unsigned k = 0; k < 2; k++) {
        struct mpj_energy *e = NULL;
        FILE *f[5];
        for (unsigned i = 0; i < 5; i++)
            f[i] = open_memstream(&text[k][i], &len);
        assert_int_equal(mpj_energy_load(&e, files[k], NULL, NULL, &err), 0);
        assert_int_equal(mpj_energy_text(e, f[0], &err), 0);
        assert_int_equal(mpj_energy_json(e, f[1], &err), 0);
        assert_int_equal(mpj_energy_csv(e, f[2], &err), 0);
        assert_int_equal(mpj_energy_samples(files[k], false, f[3], &err), 0);
        assert_int_equal(mpj_energy_samples(files[k], true, f[4], &err), 0);
        mpj_energy_free(e);
        for (unsigned i = 0; i < 5; i++)
            fclose(f[i]);
    }
    for (unsigned i = 0; i < 5; i++) {
        assert_string_equal(text[0][i], text[1][i]);
        assert_true(strlen(text[0][i]) > 100);
    }
    assert_non_null(strstr(text[0][2], "\"from \"\"here\"\"\",1,host,0.033,0.017,"));
    assert_non_null(strstr(text[0][3], "\n3,0.040000000,1238300,317200,"));
    for (unsigned i = 0; i < 5; i++) {
        free(text[0][i]);
        free(text[1][i]);
    }
}

static void many(unsigned n, unsigned (*v)(unsigned), unsigned (*i)(unsigned))
{
    begin_log(0);
    for (unsigned k = 0; k < n; k++)
        sample(k, (k + 1U) * PERIOD, (uint16_t)v(k), (uint16_t)i(k));
    end_log((n + 1U) * PERIOD);
}

static unsigned noisy_v(unsigned k)
{
    return 2015 + k % 3;
}

static unsigned noisy_i(unsigned k)
{
    return 1780 + k % 5;
}

static unsigned ends(unsigned k)
{
    return k == 5 ? 0 : k == 6 ? 4095 : 1780 + k % 3;
}

static unsigned low(unsigned k)
{
    return k % 4 == 0 ? 1400 : 2015; /* 0.854 V */
}

static unsigned high(unsigned k)
{
    (void)k;
    return 3607; /* 2.200 V */
}

static unsigned still(unsigned k)
{
    (void)k;
    return 2015;
}

static void plausible(void **state)
{
    struct mpj_energy *e;

    (void)state;
    many(1200, noisy_v, noisy_i);
    e = load();
    says(e, "range", MPJ_CHECK_OK, "");
    says(e, "stuck", MPJ_CHECK_OK, "every channel moves");
    says(e, "timing", MPJ_CHECK_OK, "one every 10.000000 ms, 0 us off");
    mpj_energy_free(e);

    many(40, noisy_v, ends);
    e = load();
    says(e, "range", MPJ_CHECK_BAD, "processor current 2 times (0 to 4095)");
    mpj_energy_free(e);

    many(40, low, noisy_i);
    e = load();
    says(e, "range", MPJ_CHECK_BAD, "processor voltage 10 times (1400 to 2015)");
    mpj_energy_free(e);

    recorded_on = "sim"; /* where epro-mp has 2.2 V */
    many(40, high, noisy_i);
    e = load();
    says(e, "range", MPJ_CHECK_OK, "the calibration sets the voltages");
    mpj_energy_free(e);
    many(40, high, ends);
    e = load();
    says(e, "range", MPJ_CHECK_BAD, "processor current 2 times (0 to 4095)");
    mpj_energy_free(e);
    recorded_on = "tile0";
    many(40, high, noisy_i);
    e = load();
    says(e, "range", MPJ_CHECK_BAD, "processor voltage 40 times (3607 to 3607)");
    mpj_energy_free(e);

    many(1200, still, noisy_i);
    e = load();
    says(e, "stuck", MPJ_CHECK_DOUBT, "processor voltage is 2015 in every sample");
    mpj_energy_free(e);
}

/* One code for all channels, from the given sample on. */
static void frozen(unsigned n, unsigned from, unsigned every)
{
    begin_log(0);
    for (unsigned k = 0; k < n; k++) {
        const uint16_t c = (uint16_t)(2000 + (k < from ? k / every % 7 : 0));

        log_sample_all(k, (k + 1U) * PERIOD, (const uint16_t[]){c, c, c, c});
    }
    end_log((n + 1U) * PERIOD);
}

static void stuck(void **state)
{
    struct mpj_energy *e;

    (void)state;
    frozen(500, 200, 1);
    e = load();
    says(e, "stuck", MPJ_CHECK_BAD, "no channel changed for 2.99 s");
    mpj_energy_free(e);
    frozen(500, 500, 8);
    e = load();
    says(e, "stuck", MPJ_CHECK_DOUBT, "new values only every 79.4 ms");
    mpj_energy_free(e);
}

static void missing(void **state)
{
    struct mpj_energy *e;

    (void)state;
    begin_log(0);
    for (unsigned k = 0; k < 100; k++) {
        if (k < 40 || k >= 65)
            sample(k, (k + 1U) * PERIOD, (uint16_t)noisy_v(k), (uint16_t)noisy_i(k));
        if (k == 70)
            sample(k, (k + 1U) * PERIOD, 1, 1); /* once more */
    }
    end_log(101 * PERIOD);
    e = load();
    assert_int_equal(e->samples, 75);
    assert_int_equal(e->lost, 25);
    assert_int_equal(e->doubled, 1);
    says(e, "samples", MPJ_CHECK_BAD, "25 of 100 lost (25 %), the first after sample 39");
    mpj_energy_free(e);

    begin_log(0);
    sample(0, PERIOD, 2000, 1000);
    log_skip(3);
    sample(1, 2 * PERIOD + 7000, 2001, 1001);
    end_log(3 * PERIOD);
    e = load();
    says(e, "file", MPJ_CHECK_BAD, "3 frames missing");
    says(e, "timing", MPJ_CHECK_DOUBT, "7e+03 us off");
    mpj_energy_free(e);
}

static char *read_all(size_t *len)
{
    FILE *const f = fopen("e.mplog", "rb");
    char *const data = malloc(100000);

    assert_non_null(f);
    *len = fread(data, 1, 100000, f);
    fclose(f);
    return data;
}

static void write_all(const char *data, size_t len)
{
    FILE *const f = fopen("e.mplog", "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    fclose(f);
}

/* A file cut at any byte is read as far as it goes, and says so. */
static void cut(void **state)
{
    struct mpj_energy *e = NULL;
    uint64_t before = 0;
    size_t len;
    char *data;

    (void)state;
    begin_log(0);
    for (unsigned k = 0; k < 40; k++)
        sample(k, (k + 1U) * PERIOD, (uint16_t)noisy_v(k), (uint16_t)noisy_i(k));
    end_log(41 * PERIOD);
    data = read_all(&len);
    for (size_t n = 0; n < len; n++) {
        write_all(data, n);
        if (mpj_energy_load(&e, "e.mplog", NULL, NULL, &err) != 0) {
            assert_int_equal(err.code, MPJ_E_LOG);
            assert_int_equal(before, 0);
            continue;
        }
        assert_true(e->samples == before || e->samples == before + 1);
        assert_false(e->closed);
        says(e, "file", MPJ_CHECK_BAD, "the log is cut off after ");
        if (e->samples > 0 && e->samples < 40) {
            char words[80];
            snprintf(words, sizeof(words), "of 0.5 s planned, %.3f s are missing",
                     0.5 - ((double)e->samples + 0.5) * PERIOD / HZ);
            says(e, "file", MPJ_CHECK_BAD, words);
        }
        before = e->samples;
        mpj_energy_free(e);
    }
    assert_int_equal(before, 40);
    /* damage in the middle */
    data[len / 2] ^= 0x10;
    write_all(data, len);
    e = load();
    assert_true(e->samples > 5 && e->samples < 35);
    says(e, "file", MPJ_CHECK_BAD, "read up to its damage only: e.mplog is corrupt before byte");
    mpj_energy_free(e);
    free(data);
}

/* Labels that are not there, or not in order; marks without end. */
static void strange(void **state)
{
    struct mpj_energy *e;

    (void)state;
    begin_log(0);
    mark(15000, "", 9);
    sample(0, PERIOD, 2000, 1000);
    end_log(2 * PERIOD);
    e = load();
    assert_string_equal(e->phase[1].name, "(no text)");
    mpj_energy_free(e);

    begin_log(0);
    sample(0, PERIOD, 2000, 1000);
    label(2, "the second first");
    end_log(2 * PERIOD);
    e = load();
    says(e, "file", MPJ_CHECK_BAD, "malformed LABEL");
    mpj_energy_free(e);

    begin_log(0);
    for (unsigned k = 0; k < 3000; k++)
        mark(k, k % 2 ? "odd" : "even", k);
    sample(0, PERIOD, 2000, 1000);
    end_log(2 * PERIOD);
    e = load();
    assert_int_equal(e->marks, 3000);
    assert_int_equal(e->phases, 3000); /* the first is there from the beginning */
    assert_float_equal(e->phase[2999].rail[0].energy_uj, uj(2000, 1000, 20000 - 2999), 1e-6);
    mpj_energy_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases),  cmocka_unit_test(store),   cmocka_unit_test(plausible),
        cmocka_unit_test(stuck),   cmocka_unit_test(missing), cmocka_unit_test(cut),
        cmocka_unit_test(strange),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
