/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instruction another one waits for: the loop of a mean, as compiled, with a division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/blame_latency.h"

#define LOOP(w)                                                                                    \
    {                                                                                              \
        .word = (w), .executions = 1000                                                            \
    }

enum { BEFORE, LOAD_A, LOAD_B, LOAD_C, ADD, LOAD_D, ADD_C, ADD_D, DIVIDE, COMPARE, STORE, BRANCH };

static void waits_for(const struct blame_insn *insn, size_t n, size_t i, size_t right)
{
    assert_int_equal(blame_latency_of(insn, n, i), right);
}

static void test_loop(void **state)
{
    struct blame_insn insn[] = {
        {.word = 0xed9f4b20, .executions = 1}, /* vldr d4, [pc, #128] */
        LOOP(0xecb27b02),                      /* vldmia r2!, {d7} */
        LOOP(0xecb16b02),                      /* vldmia r1!, {d6} */
        LOOP(0xecb35b02),                      /* vldmia r3!, {d5} */
        LOOP(0xee377b06),                      /* vadd.f64 d7, d7, d6 */
        LOOP(0xed936b02),                      /* vldr d6, [r3, #8] */
        LOOP(0xee377b05),                      /* vadd.f64 d7, d7, d5 */
        LOOP(0xee377b06),                      /* vadd.f64 d7, d7, d6 */
        LOOP(0xee876b04),                      /* vdiv.f64 d6, d7, d4 */
        LOOP(0xe15c0002),                      /* cmp ip, r2 */
        LOOP(0xeca06b02),                      /* vstmia r0!, {d6} */
        LOOP(0x1afffff5),                      /* bne */
    };
    const size_t n = sizeof(insn) / sizeof(insn[0]);

    (void)state;
    assert_true(blame_latency_decode(insn, n));
    waits_for(insn, n, STORE, DIVIDE);
    waits_for(insn, n, DIVIDE, ADD_D); /* d4 is from before the loop */
    waits_for(insn, n, ADD_D, ADD_C);
    waits_for(insn, n, ADD_C, ADD);
    waits_for(insn, n, ADD, LOAD_B);
    waits_for(insn, n, BRANCH, COMPARE);
    waits_for(insn, n, LOAD_A, LOAD_A); /* its own address, of the last round */
    waits_for(insn, n, BEFORE, BEFORE); /* nothing */
}

/* A sum from round to round, a call's result, and what is not an instruction. */
static void test_others(void **state)
{
    struct blame_insn insn[] = {
        LOOP(0xe0811000),                   /* add r1, r1, r0 */
        LOOP(0xeb000010),                   /* bl */
        LOOP(0xe2800001),                   /* add r0, r0, #1 */
        LOOP(0xe0010192),                   /* mul r1, r2, r1 */
        LOOP(0xffffffff), LOOP(0xe1a0f00e), /* mov pc, lr */
    };
    const size_t n = sizeof(insn) / sizeof(insn[0]);

    (void)state;
    assert_true(blame_latency_decode(insn, n));
    waits_for(insn, n, 0, 3); /* r1 of the last round takes longer than r0 */
    waits_for(insn, n, 2, 1);
    waits_for(insn, n, 4, 4);
    assert_int_equal(insn[4].uses | insn[4].sets, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
