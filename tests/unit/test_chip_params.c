/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration files: what is accepted, and the one clear line for what is not. */
#include "chip_fixture.h"

#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/mpj-calibration-XXXXXX";
static char path[128];

static void put(const char *name, const char *text)
{
    char full[128];
    (void)snprintf(full, sizeof(full), "%s/%s", dir, name);
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int open_chip(char *err, size_t len)
{
    struct mpj_chip *chip;
    struct mpj_config cfg = {.calibration = path, .seed = 1, .ram_bytes = 1U << 20};
    int rc = mpj_chip_new(&chip, &cfg, err, len);
    if (rc == MPJ_OK) {
        assert_non_null(chip);
        mpj_chip_free(chip);
    } else {
        assert_null(chip);
    }
    return rc;
}

/* A good calibration plus some lines; the error must hold all of `expect`. */
static void wrong(const char *lines, const char *expect)
{
    char text[2048];
    char err[512];
    (void)snprintf(text, sizeof(text), "include %s/mprofiler.conf\n%s", MPJ_CALIBRATIONS, lines);
    put("test.conf", text);
    int rc = open_chip(err, sizeof(err));
    if (rc == MPJ_OK || !strstr(err, expect))
        print_error("got %d: %s\n", rc, err);
    assert_int_equal(rc, MPJ_ERR_PARAM);
    assert_non_null(strstr(err, expect));
    assert_null(strchr(err, '\n'));
}

static void test_shipped(void **state)
{
    (void)state;
    static const char *const names[] = {"mprofiler", "epro-mp"};
    for (unsigned i = 0; i < 2; i++) {
        struct board b;
        board_open(&b, names[i], 1);
        assert_string_equal(mpj_chip_calibration(b.chip), names[i]);
        assert_int_equal(mpj_chip_clock_hz(b.chip), 210000000);
        assert_int_equal(mpj_adc_period(b.chip), 210000);
        board_close(&b);
    }
}

static void test_override(void **state)
{
    (void)state;
    char err[512];
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "# comment\n\n  include %s/mprofiler.conf # why\nname = other-1.0\n"
                   "\tl2_hit_cycles=30# glued\r\n",
                   MPJ_CALIBRATIONS);
    put("test.conf", text);
    struct mpj_chip *chip;
    struct mpj_config cfg = {.calibration = path, .ram_bytes = 4096};
    assert_int_equal(mpj_chip_new(&chip, &cfg, err, sizeof(err)), MPJ_OK);
    assert_string_equal(mpj_chip_calibration(chip), "other-1.0");
    assert_int_equal(mpj_chip_params(chip)->l2_hit_cycles, 30);
    mpj_chip_free(chip);
}

static void test_errors(void **state)
{
    (void)state;
    wrong("l2_hit_cycels = 3\n", "test.conf:2: l2_hit_cycels: unknown key");
    wrong("\n\nl2_hit_cycles = 3000\n",
          "test.conf:4: l2_hit_cycles: expected an integer from 0 to 200, got '3000'");
    wrong("l2_hit_cycles = 3x\n", "got '3x'");
    wrong("l2_hit_cycles =\n", "got ''");
    wrong("l2_hit_cycles = 99999999999999999999\n", "expected an integer from 0 to 200");
    wrong("l2_hit_cycles = -1\n", "expected an integer from 0 to 200");
    wrong("l2_hit_cycles\n", "test.conf:2: expected 'key = value'");
    wrong("l2_hit_cycles = 3\nl2_hit_cycles = 3\n", "test.conf:3: l2_hit_cycles: given twice");
    wrong("name = with space\n", "test.conf:2: name:");
    wrong("name = a\"b\n", "test.conf:2: name:");
    wrong("name =\n", "test.conf:2: name:");
    wrong("name = abcdefghijklmnopqrstuvwxyz0123456789\n", "name:");
    wrong("include\n", "test.conf:2: include: expected a file name");
    wrong("include test.conf\n", "nested deeper than 4 files, or in a circle");
    wrong("tlb_small_pages = 2\n", "tlb_small_pages: expected an integer from 0 to 1");
    wrong("l1d_kb = 24\n", "l1d_kb, l1d_ways: expected powers of two");
    wrong("tlb_entries = 65\n", "tlb_entries, tlb_ways");
    wrong("l2_kb = 32\n", "l2_kb 0 (no L2) or from 64");
}

static void test_no_l2(void **state)
{
    (void)state;
    char err[512];
    char text[512];
    struct mpj_chip *chip;
    struct mpj_hot hot[MPJ_CORES];
    struct mpj_config cfg = {.calibration = path, .ram_bytes = 4096};
    (void)snprintf(text, sizeof(text), "include %s/mprofiler.conf\nl2_kb = 0\n", MPJ_CALIBRATIONS);
    put("test.conf", text);
    assert_int_equal(mpj_chip_new(&chip, &cfg, err, sizeof(err)), MPJ_OK);
    memset(hot, 0, sizeof(hot));
    mpj_chip_attach(chip, 0, &hot[0]);
    mpj_cache_enable(chip, 0, true, true, true);
    mpj_smp_enable(chip, 0, true);
    mpj_l2_enable(chip, true); /* there is none to enable */
    assert_true(miss(chip, 0, 1, false, 1000) > (uint32_t)mpj_chip_params(chip)->mem_cycles);
    assert_int_equal(mpj_l2_event(chip, MPJ_L2_DRREQ), 0);
    mpj_l2_enable(chip, false);
    mpj_chip_free(chip);
}

static void test_missing(void **state)
{
    (void)state;
    char err[512];
    put("test.conf", "name = x\nclock_hz = 210000000\n");
    assert_int_equal(open_chip(err, sizeof(err)), MPJ_ERR_PARAM);
    assert_non_null(strstr(err, "pipe_early: missing, expected an integer from 0 to 3"));
    put("test.conf", "");
    assert_int_equal(open_chip(err, sizeof(err)), MPJ_ERR_PARAM);
    assert_non_null(strstr(err, "name: missing"));
}

static void test_long_line(void **state)
{
    (void)state;
    char err[512];
    char text[1200];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    put("test.conf", text);
    assert_int_equal(open_chip(err, sizeof(err)), MPJ_ERR_PARAM);
    assert_non_null(strstr(err, "test.conf:1: line longer"));
}

static void test_no_file(void **state)
{
    (void)state;
    char err[512];
    char gone[256];
    (void)snprintf(gone, sizeof(gone), "%s/gone.conf", dir);
    struct mpj_chip *chip;
    struct mpj_config cfg = {.calibration = gone, .ram_bytes = 4096};
    assert_int_equal(mpj_chip_new(&chip, &cfg, err, sizeof(err)), MPJ_ERR_IO);
    assert_null(chip);
    assert_non_null(strstr(err, "gone.conf: cannot open"));
    put("test.conf", "include gone.conf\n");
    assert_int_equal(open_chip(err, sizeof(err)), MPJ_ERR_IO);
    assert_non_null(strstr(err, "gone.conf: cannot open"));
    /* No room for a message is no reason to fail otherwise. */
    assert_int_equal(open_chip(NULL, 0), MPJ_ERR_IO);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/test.conf", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped), cmocka_unit_test(test_override),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_no_l2),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
