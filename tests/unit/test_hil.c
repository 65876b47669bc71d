/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small parts of hil/: the file's hash, the plan of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sha2.h>

#include "hil/plan.h"

static void hash_is(const char *text, size_t repeat, const char *want)
{
    SHA2_CTX s;
    char hex[65];

    SHA256Init(&s);
    for (size_t i = 0; i < repeat; i++)
        SHA256Update(&s, (const uint8_t *)text, strlen(text));
    SHA256End(&s, hex);
    assert_string_equal(hex, want);
}

/* FIPS 180-4 examples. */
static void sha256(void **state)
{
    (void)state;
    hash_is("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hash_is("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static struct mpj_err err;

/* Every wanted event is in exactly one pass, on every core. */
static void covered(const struct mpj_selection *selection)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    unsigned seen[MPJ_PLAN_EVENTS_MAX] = {0};

    for (unsigned p = 0; p < mpj_plan_passes(selection, false); p++) {
        struct mpj_config_rec c = {0};
        mpj_plan_select(selection, p, &c);
        for (size_t i = 0; i < n; i++) {
            for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
                seen[i] += table[i].source == MPJ_SOURCE_PMU && c.pmu[0][k] == table[i].number;
            for (unsigned k = 0; k < MPJ_SCU_COUNTERS; k++)
                seen[i] += table[i].source == MPJ_SOURCE_SCU && c.scu[k] == table[i].number;
            for (unsigned k = 0; k < MPJ_L2_COUNTERS; k++)
                seen[i] += table[i].source == MPJ_SOURCE_L2 && c.l2[k] == table[i].number;
        }
        for (unsigned k = 1; k < MPJ_CORES_MAX; k++)
            assert_memory_equal(c.pmu[k], c.pmu[0], sizeof(c.pmu[0]));
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(seen[i], selection->want[i]);
}

static void plans(void **state)
{
    struct mpj_selection selection;
    struct mpj_config_rec c = {0};

    (void)state;
    memset(&selection, 0, sizeof(selection));
    mpj_selection_all(&selection);
    assert_int_equal(mpj_plan_passes(&selection, false), 11);
    covered(&selection);
    mpj_plan_select(&selection, 7, &c); /* the first pass counts linefills: all take that time */
    assert_int_equal(c.flags, MPJ_CONFIG_FILLS);
    c.flags = 0;

    memset(&selection, 0, sizeof(selection));
    assert_int_equal(mpj_plan_passes(&selection, false), 1);
    mpj_plan_select(&selection, 0, &c);
    assert_int_equal(c.pmu[3][1], MPJ_EVENT_NONE);
    assert_int_equal(c.scu[7], MPJ_EVENT_NONE);
    assert_int_equal(c.flags, 0);

    assert_int_equal(mpj_selection_parse(&selection, "instr,ddep_stall,branch,l2_castout", &err),
                     0);
    assert_int_equal(mpj_plan_passes(&selection, false), 2);
    mpj_selection_defaults(&selection); /* adds SCU events only */
    assert_int_equal(mpj_plan_passes(&selection, false), 2);
    covered(&selection);
    mpj_plan_select(&selection, 0, &c);
    assert_int_equal(c.l2[0], MPJ_EVENT_L2_CASTOUT);
    assert_int_equal(c.l2[1], MPJ_EVENT_NONE);
    assert_int_not_equal(c.scu[0], MPJ_EVENT_NONE);

    assert_int_equal(mpj_selection_parse(&selection, "instr,cache", &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "\"cache\""));
}

/* All core events share one pass; an odd one has company. */
static void turns(void **state)
{
    struct mpj_rotation_rec t;
    struct mpj_selection selection;

    (void)state;
    memset(&selection, 0, sizeof(selection));
    assert_int_equal(mpj_selection_parse(&selection, "instr,branch,dcache_rd", &err), 0);
    assert_int_equal(mpj_plan_passes(&selection, true), 1);
    mpj_plan_rotation(&selection, 5, &t);
    assert_int_equal(t.period_ms, 5);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.event[0][0], MPJ_EVENT_BRANCH);
    assert_int_equal(t.event[0][1], MPJ_EVENT_INSTR);
    assert_int_equal(t.event[1][0], MPJ_EVENT_DCACHE_RD);
    assert_int_equal(t.event[1][1], MPJ_EVENT_BRANCH);
    mpj_selection_all(&selection);
    assert_int_equal(mpj_plan_passes(&selection, true), 5); /* the L2's ten events */
    mpj_plan_rotation(&selection, 5, &t);
    assert_in_range(t.count, 11, MPJ_ROTATION_MAX);
    memset(&selection, 0, sizeof(selection));
    assert_int_equal(mpj_selection_parse(&selection, "instr", &err), 0);
    mpj_plan_rotation(&selection, 10, &t);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.event[0][1], MPJ_EVENT_NONE);
}

/* Text of an error is one line whatever goes in; errno decides on "full". */
static void errors(void **state)
{
    (void)state;
    assert_int_equal(mpj_err_set(&err, MPJ_E_LOG, "a\nb\tc%s", "\r"), MPJ_E_LOG);
    assert_string_equal(err.text, "a b c ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256),
        cmocka_unit_test(plans),
        cmocka_unit_test(turns),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
