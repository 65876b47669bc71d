/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The self-test's lines and verdicts, without a target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hil/selftest_items.h"

static void feed(struct mpj_selftest *t, const char *text)
{
    mpj_selftest_output(t, text, strlen(text));
}

static const struct mpj_selftest_item *find(const struct mpj_selftest *t, const char *name)
{
    for (size_t i = 0; i < t->items; i++) {
        if (strcmp(t->item[i].name, name) == 0)
            return &t->item[i];
    }
    fail_msg("no item %s", name);
    return NULL;
}

static void verdicts(void **state)
{
    struct mpj_selftest *const t = mpj_selftest_new();
    unsigned count[MPJ_SELFTEST_VERDICTS];

    (void)state;
    feed(t, "@part\tthings\n"
            "@item\tin\t0\t5\t5\t9\t\t-\ta\n@item\tin\t1\t9\t5\t9\t\t-\ta\n"
            "@item\tlow\t-\t4\t5\t9\tuV\tBOARD_X\tb\n"
            "@item\tdead\t-\t0\t5\t9\t\tBOARD_X\tc\n"
            "@item\tzero\t-\t0\t0\t0\t\tBOARD_X\td\n"
            "@item\thigh\t-\t10\t5\t9\t\t-\te\n"
            "@item\tone\t0\t5\t5\t9\t\tmodels/x.conf:y\tf\n@item\tone\t1\t0\t5\t9\t\tmodels/"
            "x.conf:y\tf\n"
            "@item\topen\t-\t1000000\t5\t2147483647\t\t-\tg\n"
            "@fault\tgone\t-\t4\t0x8\t0x10100000\tBOARD_X\th\n"
            "@skip\tlater\tno time\n@note\tby the way\n");
    assert_int_equal(find(t, "in")->verdict, MPJ_SELFTEST_OK);
    assert_int_equal(find(t, "in")->values, 2);
    assert_int_equal(find(t, "low")->verdict, MPJ_SELFTEST_DIFFERS);
    assert_string_equal(find(t, "low")->change, "hal/board/realview-eb/include/hal_map.h:BOARD_X");
    assert_string_equal(find(t, "low")->unit, "uV");
    assert_int_equal(find(t, "dead")->verdict, MPJ_SELFTEST_FAILS);
    assert_int_equal(find(t, "zero")->verdict, MPJ_SELFTEST_OK);
    assert_int_equal(find(t, "high")->verdict,
                     MPJ_SELFTEST_FAILS); /* nothing that could be changed */
    assert_null(find(t, "high")->change);
    assert_int_equal(find(t, "one")->verdict, MPJ_SELFTEST_DIFFERS);
    assert_string_equal(find(t, "one")->change, "models/x.conf:y");
    assert_int_equal(find(t, "open")->verdict, MPJ_SELFTEST_OK);
    assert_int_equal(find(t, "gone")->verdict, MPJ_SELFTEST_FAILS);
    assert_non_null(strstr(find(t, "gone")->reason, "at 0x10100000 (external abort"));
    assert_int_equal(find(t, "later")->verdict, MPJ_SELFTEST_SKIPPED);
    assert_string_equal(find(t, "later")->reason, "no time");
    assert_string_equal(t->part, "things");
    assert_int_equal(t->notes, 1);
    assert_false(mpj_selftest_count(t, count));
    assert_int_equal(count[MPJ_SELFTEST_OK], 3);
    assert_int_equal(count[MPJ_SELFTEST_DIFFERS], 2);
    assert_int_equal(count[MPJ_SELFTEST_FAILS], 3);
    assert_int_equal(count[MPJ_SELFTEST_SKIPPED], 1);
    mpj_selftest_free(t);
}

/* All well only when everything that was sent has come, and there was something. */
static void ends(void **state)
{
    static const struct {
        const char *text;
        bool well;
    } cases[] = {
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n@end\t1\n", true},
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n", false},
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n@end\t2\n", false},
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n@end\tx\n", false},
        {"@end\t0\n", false},
        {"@item\ta\t-\t2\t1\t1\t\t-\tx\n@end\t1\n", false},
        {"@skip\ta\tb\n@end\t1\n", false},
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n@skip\tb\tno such\n@end\t2\n", false},
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n@skip\tb\tno such\tabsent\n@end\t2\n", true},
        {"@item\ta\t-\t2\t1\t1\t\t-\tx\n@skip\tb\tno such\tabsent\n@end\t2\n", false},
        {"@skip\ta\tno such\tabsent\n@end\t1\n", false},
        {"@item\ta\t-\t1\t1\t1\t\t-\tx\n@skip\tb\tno such\tgone\n@end\t2\n", false},
    };
    unsigned count[MPJ_SELFTEST_VERDICTS];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mpj_selftest *const t = mpj_selftest_new();
        feed(t, cases[i].text);
        assert_int_equal(mpj_selftest_count(t, count), cases[i].well);
        mpj_selftest_free(t);
    }
}

/* Pieces of any size, and lines that are nobody's. */
static void pieces(void **state)
{
    static const char text[] =
        "hello\n\n@item\tshort\n@item\ta\t-\tx\t1\t1\t\t-\tx\n@\t\t\t\t\t\t\t\t\t\t\n"
        "@item\ta\t-\t1\t1\t1\t\t-\tx\n@fault\tf\t-\t4\t5\tabc\t-\tx\n@end\t1\n";
    char longer[3000];
    unsigned count[MPJ_SELFTEST_VERDICTS];

    (void)state;
    for (size_t step = 1; step < sizeof(text); step++) {
        struct mpj_selftest *const t = mpj_selftest_new();
        for (size_t at = 0; at < sizeof(text) - 1; at += step) {
            const size_t left = sizeof(text) - 1 - at;
            mpj_selftest_output(t, text + at, left < step ? left : step);
        }
        assert_int_equal(t->items, 1);
        assert_true(mpj_selftest_count(t, count));
        mpj_selftest_free(t);
    }
    struct mpj_selftest *const t = mpj_selftest_new();
    memset(longer, 'x', sizeof(longer));
    for (int i = 0; i < 100; i++)
        mpj_selftest_output(t, longer, sizeof(longer));
    assert_true(t->rest_len < 2 * sizeof(longer)); /* not kept */
    feed(t, "\n@item\ta\t-\t1\t1\t1\t\t-\tx\n");
    assert_int_equal(t->items, 1);
    mpj_selftest_free(t);
}

static void pattern(void **state)
{
    struct mpj_selftest *const t = mpj_selftest_new();
    uint8_t p[5000];
    bool seen[256] = {false};

    (void)state;
    mpj_selftest_make_pattern(p, sizeof(p));
    for (size_t i = 0; i < sizeof(p); i++)
        seen[p[i]] = true;
    for (size_t i = 0; i < 256; i++)
        assert_true(seen[i]);
    mpj_selftest_pattern(t, p, 1000);
    p[1500] ^= 1;
    mpj_selftest_pattern(t, p + 1000, sizeof(p) - 1000);
    assert_int_equal(t->right, sizeof(p) - 1);
    assert_int_equal(t->wrong, 1);
    mpj_selftest_free(t);
}

static void many_values(void **state)
{
    struct mpj_selftest *const t = mpj_selftest_new();
    struct mpj_err err;

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_int_equal(mpj_selftest_add(t, "host", 3, 3, 3, NULL, NULL, "x", &err), MPJ_E_OK);
    assert_int_equal(t->items, 1);
    assert_int_equal(t->item[0].values, MPJ_SELFTEST_VALUES);
    assert_string_equal(t->item[0].unit, "");
    assert_int_equal(t->item[0].verdict, MPJ_SELFTEST_OK);
    assert_int_equal(mpj_selftest_add(t, "host", 4, 3, 3, NULL, NULL, "x", &err), MPJ_E_OK);
    assert_int_equal(t->item[0].verdict, MPJ_SELFTEST_FAILS);
    mpj_selftest_free(t);
    mpj_selftest_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts), cmocka_unit_test(ends),        cmocka_unit_test(pieces),
        cmocka_unit_test(pattern),  cmocka_unit_test(many_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
