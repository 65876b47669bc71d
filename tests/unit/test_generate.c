/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random programs: the same from the same seed, distinct otherwise, and such as basis.elf takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/generate.h"

/* The reference implementation's first outputs for the state {1, 2, 3, 4}. */
static void test_xoshiro(void **state)
{
    struct mpj_random r = {{1, 2, 3, 4}};

    (void)state;
    assert_true(mpj_random_next(&r) == 11520U);
    assert_true(mpj_random_next(&r) == 0U);
    assert_true(mpj_random_next(&r) == 1509978240U);
    assert_true(mpj_random_next(&r) == 1215971899390074240U);
}

static void test_splitmix(void **state)
{
    struct mpj_random r;

    (void)state;
    mpj_random_init(&r, 1234567U);
    assert_true(r.s[0] == 6457827717110365317U);
    assert_true(r.s[1] == 3203168211198807973U);
}

static void test_below(void **state)
{
    struct mpj_random r;
    unsigned count[7] = {0};

    (void)state;
    mpj_random_init(&r, 1);
    for (unsigned i = 0; i < 70000; i++)
        count[mpj_random_below(&r, 7)]++;
    for (unsigned i = 0; i < 7; i++)
        assert_in_range(count[i], 9500, 10500);
}

/* This program must never change: data sets name the seed alone. */
static void test_fixed(void **state)
{
    struct mpj_generated g;

    (void)state;
    mpj_generate(&g, 1, 3, 4);
    assert_string_equal(g.name, "r003");
    assert_string_equal(g.family, "integer");
    assert_int_equal(g.threads, 1);
    assert_int_equal(g.cores_mask, 2);
    assert_int_equal(g.argc, 3);
    assert_string_equal(g.arg[0], "rounds=59");
    assert_string_equal(g.arg[1], "seed=405206");
    assert_string_equal(g.arg[2], "1=i_sieve:321");
}

static int segment_of(const char *name, size_t len)
{
    for (unsigned i = 0; i < MPJ_BASIS_SEGMENT_COUNT; i++) {
        const char *const n = mpj_basis_segment_name((enum mpj_basis_segment)i);
        if (strlen(n) == len && strncmp(n, name, len) == 0)
            return (int)i;
    }
    return -1;
}

/* CORE=SEGMENT:COUNT,...: the segments it names are marked. Returns the core. */
static unsigned check_thread(const char *text, bool *seen)
{
    char *end;
    const unsigned core = (unsigned)strtoul(text, &end, 10);
    unsigned steps = 0;

    assert_int_equal(*end, '=');
    do {
        const char *const name = end + 1;
        const size_t len = strcspn(name, ":");
        const int s = segment_of(name, len);
        unsigned long count;
        assert_true(s >= 0);
        seen[s] = true;
        count = strtoul(name + len + 1, &end, 10);
        assert_in_range(count, 1, MPJ_BASIS_REPS_MAX);
        steps++;
    } while (*end == ',');
    assert_int_equal(*end, '\0');
    assert_in_range(steps, 1, MPJ_BASIS_STEPS_MAX);
    return core;
}

static void test_programs(void **state)
{
    static struct mpj_generated g[MPJ_GENERATE_COUNT];
    bool seen[MPJ_BASIS_SEGMENT_COUNT] = {false};
    unsigned threads[MPJ_BASIS_THREADS_MAX + 1] = {0};
    unsigned masks[16] = {0};

    (void)state;
    for (unsigned i = 0; i < MPJ_GENERATE_COUNT; i++) {
        uint32_t mask = 0;
        mpj_generate(&g[i], 7, i, 4);
        assert_in_range(g[i].threads, 1, MPJ_BASIS_THREADS_MAX);
        assert_int_equal(g[i].argc, g[i].threads + 2);
        for (unsigned k = 2; k < g[i].argc; k++) {
            const unsigned core = check_thread(g[i].arg[k], seen);
            assert_in_range(core, 0, 3);
            mask |= 1U << core;
        }
        assert_int_equal(mask, g[i].cores_mask);
        threads[g[i].threads]++;
        masks[mask]++;
        for (unsigned j = 0; j < i; j++)
            assert_false(strcmp(g[i].arg[1], g[j].arg[1]) == 0 &&
                         strcmp(g[i].arg[2], g[j].arg[2]) == 0);
    }
    for (unsigned i = 1; i <= 4; i++)
        assert_true(threads[i] >= MPJ_GENERATE_COUNT / 8);
    for (unsigned i = 5; i <= MPJ_BASIS_THREADS_MAX; i++)
        assert_true(threads[i] > 0);
    for (unsigned i = 1; i < 16; i++)
        assert_true(masks[i] > 0); /* every placement */
    for (unsigned i = 0; i < MPJ_BASIS_SEGMENT_COUNT; i++)
        assert_true(seen[i]);
}

/* One in four is integer code of one thread, by segments that stay in the core and its L1. */
static void test_quiet(void **state)
{
    static const char *const loud[] = {"vfp_", "_l2", "_mem", "sh_", "sy_", "code_", "tlb_"};
    struct mpj_generated g;

    (void)state;
    for (unsigned i = 0; i < MPJ_GENERATE_COUNT; i++) {
        mpj_generate(&g, 7, i, 4);
        assert_int_equal(strcmp(g.family, "integer") == 0, i % 4 == 3);
        if (i % 4 != 3)
            continue;
        assert_int_equal(g.threads, 1);
        assert_non_null(strstr(g.arg[2], "i_"));
        for (unsigned k = 0; k < sizeof(loud) / sizeof(loud[0]); k++)
            assert_true(strcmp(loud[k], "_mem") == 0 ? strstr(g.arg[2], "_mem:") == NULL
                                                     : strstr(g.arg[2], loud[k]) == NULL);
    }
}

static void test_pieces(void **state)
{
    (void)state;
    assert_true(mpj_generated_pieces("rounds=4 seed=7 0=mul:5") == 1);
    /* 1040 cycles each; waiting is no piece */
    assert_true(mpj_generated_pieces("rounds=4 seed=7 2=mul:5,alu_zero:5,spin:40") == 2);
    /* 3 to 1: 16 / 10 */
    assert_true(mpj_generated_pieces("rounds=4 seed=7 2=mul:3,alu_zero:1") == 1.6);
    assert_true(mpj_generated_pieces("rounds=4 seed=7 0=mul:5 1=mul:5") == 0);
    assert_true(mpj_generated_pieces("rounds=4 seed=7 0=sleep:5") == 0);
    assert_true(mpj_generated_pieces("rounds=4 seed=7 0=magic:5") == 0);
    assert_true(mpj_generated_pieces("rounds=4 seed=7 0=mul") == 0);
    assert_true(mpj_generated_pieces("rounds=4 seed=7") == 0);
    assert_true(mpj_generated_pieces("-n 128 -t 4") == 0);
    assert_true(mpj_generated_pieces("") == 0);
}

static void test_same(void **state)
{
    struct mpj_generated a;
    struct mpj_generated b;

    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        mpj_generate(&a, 3, i, 4);
        mpj_generate(&b, 3, i, 4);
        assert_memory_equal(&a, &b, sizeof(a));
        mpj_generate(&b, 4, i, 4);
        assert_memory_not_equal(&a, &b, sizeof(a));
    }
}

static void test_fewer_cores(void **state)
{
    struct mpj_generated g;

    (void)state;
    for (unsigned cores = 1; cores <= 3; cores++) {
        for (unsigned i = 0; i < 100; i++) {
            mpj_generate(&g, 1, i, cores);
            assert_true(g.cores_mask < 1U << cores);
        }
    }
}

/* What the issue asks for. */
static void test_enough(void **state)
{
    (void)state;
    assert_true(MPJ_BASIS_SEGMENT_COUNT >= 30);
    assert_string_equal(mpj_basis_class_name(MPJ_BASIS_ALU), "alu");
    assert_string_equal(mpj_basis_class_name(MPJ_BASIS_WAIT), "wait");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xoshiro),  cmocka_unit_test(test_splitmix),
        cmocka_unit_test(test_below),    cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_programs), cmocka_unit_test(test_same),
        cmocka_unit_test(test_quiet),    cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_enough),   cmocka_unit_test(test_fewer_cores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
