/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instruction another one waits for: the loop of a mean, as compiled, with a division. Whose
 * source has changed, and who is to blame for what is inlined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/blame.h"
#include "view/blame_latency.h"
#include "view/blame_source.h"

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

/* ---- sources ----------------------------------------------------------------------------- */

/* Returns the hash of a function; 0: unknown. */
static uint64_t hash_of(const char *const *text, unsigned lines, int line, const char *name)
{
    const struct code_source s = {.text = (char **)(uintptr_t)text, .lines = lines};
    uint8_t seed[BLAME_SOURCE_BYTES];
    char hash[BLAME_SOURCE_ROOM];
    char *end;
    uint64_t number;

    blame_source_directives(&s, seed);
    if (!blame_source_text(&s, line, name, seed, hash))
        return 0;
    assert_int_equal(strlen(hash), 16);
    number = strtoull(hash, &end, 16);
    assert_true(*end == '\0' && number != 0);
    return number;
}

#define HASH(line, name, ...)                                                                      \
    hash_of((const char *const[]){__VA_ARGS__},                                                    \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (line), (name))

static void test_source(void **state)
{
    const uint64_t mean = HASH(1, "mean", "static double mean(double a)", "{",
                               "    return a * 0.25;", "}", "int other;");

    (void)state;
    /* the first bytes of the SHA-256 of that of nothing (no preprocessor lines), 32 bytes, and
     * "static double mean(double a){return a*0.25;}" */
    assert_true(mean == UINT64_C(0xb61ae7b8f7dc0daa));
    /* layout, comments, what is around it */
    assert_true(mean == HASH(2, "mean", "int more;", "static double mean( double a ) { // the mean",
                             "return /* of", "one */ a*0.25 ; }", "void f(void) {}"));
    assert_true(mean != HASH(1, "mean", "static double mean(double a)", "{", "return a / 0.25;",
                             "}", "int other;"));
    /* a macro may be in it */
    assert_true(mean != HASH(2, "mean", "#define N 3", "static double mean(double a)", "{",
                             "    return a * 0.25;", "}", "int other;"));
    /* it is not where the debugging information says, or is no definition */
    assert_true(HASH(1, "mean", "static double means(double a) { return a; }") == 0);
    assert_true(HASH(1, "mean", "double mean(double a);", "int f(void) { return 1; }") == 0);
    assert_true(HASH(1, "mean", "double mean(double a)", "{", "    if (a) {", "}") == 0);
    assert_true(HASH(1, "mean", "mean(a, b); }", "int f(void) { return 1; }") == 0);
    assert_true(HASH(9, "mean", "double mean(double a) { return a; }") == 0);
    /* braces in literals, whose layout counts */
    assert_true(HASH(1, "f", "int f() { return '}' + \"R}\\\"\"[0] + 1'000; }", "a") ==
                HASH(1, "f", "int f() { return '}'+\"R}\\\"\"[0]+1'000;}", "b"));
    assert_true(HASH(1, "f", "int f() { return \" a\"[0]; }") !=
                HASH(1, "f", "int f() { return \"a\"[0]; }"));
    assert_true(HASH(1, "f", "int f() { return R\"(})\"[0]; }") == 0);
    /* a constructor's body counts */
    assert_true(HASH(1, "C", "C() : a{1}, b{2} { f(1); }") != 0);
    assert_true(HASH(1, "C", "C() : a{1}, b{2} { f(1); }") !=
                HASH(1, "C", "C() : a{1}, b{2} { f(2); }"));
}

/* Returns a hash; NULL: none; a number: that of a former build. */
static json_t *hash_json(int hash)
{
    if (hash < 0)
        return json_integer(-hash);
    return hash > 0 ? json_sprintf("%016x", (unsigned)hash) : NULL;
}

/* Returns tables with functions `relax` and `mean`, which is inlined into it, and with their
 * hashes (negative: numbers of a former build). */
static json_t *tables(int relax, int mean, int hash_relax, int hash_mean, int executions)
{
    json_t *const o =
        json_pack("{s:{s:{s:s,s:i,s:i,s:i,s:o*},s:{s:s,s:i,s:i,s:o*}},s:{s:{s:i}}}", "functions",
                  "relax", "at", "p.c", "line", 5, "time", relax, "calls", 24, "source",
                  hash_json(hash_relax), "mean", "at", "p.c", "line", 1, "time", mean, "source",
                  hash_json(hash_mean), "callers", "relax > mean", "calls", executions);

    assert_non_null(o);
    return o;
}

static void blames(json_t *base, json_t *now, double change, const char *culprit, double before,
                   double after)
{
    struct mpj_blame b;
    struct mpj_err err;

    assert_int_equal(mpj_blame_change(base, now, "time", change, &b, &err), MPJ_E_OK);
    assert_string_equal(b.culprit, culprit);
    assert_int_equal(b.base, before);
    assert_int_equal(b.now, after);
    mpj_blame_free(&b);
    json_decref(base);
    json_decref(now);
}

static void test_inlined(void **state)
{
    (void)state;
    /* an edit of relax makes what is inlined into it slower */
    blames(tables(500, 1000, 7, 8, 100), tables(450, 1200, 9, 8, 100), 150, "relax", 500, 650);
    /* or faster: of a decrease, what would make the increase back */
    blames(tables(450, 1200, 9, 8, 100), tables(500, 1000, 7, 8, 100), -150, "relax", 650, 500);
    /* its own edit; that of both; none; unknown */
    blames(tables(500, 1000, 7, 8, 100), tables(450, 1200, 7, 9, 100), 150, "mean", 1000, 1200);
    blames(tables(500, 1000, 7, 8, 100), tables(450, 1200, 9, 9, 100), 150, "mean", 1000, 1200);
    blames(tables(500, 1000, 7, 8, 100), tables(450, 1200, 7, 8, 100), 150, "mean", 1000, 1200);
    blames(tables(500, 1000, 0, 8, 100), tables(450, 1200, 9, 8, 100), 150, "mean", 1000, 1200);
    blames(tables(500, 1000, 7, 0, 100), tables(450, 1200, 9, 8, 100), 150, "mean", 1000, 1200);
    /* the baseline has hashes of a former build: unknown, whatever their numbers are */
    blames(tables(500, 1000, -7, -8, 100), tables(450, 1200, 9, 8, 100), 150, "mean", 1000, 1200);
    blames(tables(500, 1000, -7, -8, 100), tables(450, 1200, -9, -8, 100), 150, "mean", 1000, 1200);
    /* it is executed more often: that is said of the caller */
    blames(tables(500, 1000, 7, 8, 100), tables(500, 2000, 9, 8, 200), 1000, "relax", 1000, 2000);
}

/* Of two levels, and in several functions: those that have changed, by executions. */
static void test_inlined_in_several(void **state)
{
    static const char text[] =
        "{'functions': {'f': {'at': 'p.c', 'line': 1, 'time': %d, 'calls': 1, 'source': '%d'},"
        " 'g': {'at': 'p.c', 'line': 2, 'time': 100, 'calls': 1, 'source': '%d'},"
        " 'h': {'at': 'p.c', 'line': 3, 'time': 100, 'calls': 1, 'source': '3'},"
        " 'outer': {'at': 'p.c', 'line': 4, 'time': 50, 'source': '4'},"
        " 'inner': {'at': 'p.c', 'line': 5, 'time': %d, 'source': '5'}},"
        " 'callers': {'f > outer': {'calls': 30}, 'h > outer': {'calls': 50},"
        " 'outer > inner': {'calls': 80}, 'g > inner': {'calls': 10}}}";
    const int figures[][4] = {{100, 1, 2, 200}, {110, 11, 2, 400}, {100, 11, 12, 380}};
    json_t *side[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        char filled[1000];
        snprintf(filled, sizeof(filled), text, figures[i][0], figures[i][1], figures[i][2],
                 figures[i][3]);
        for (char *c = filled; *c != '\0'; c++)
            *c = *c == '\'' ? '"' : *c;
        side[i] = json_loads(filled, 0, NULL);
        assert_non_null(side[i]);
    }
    blames(json_incref(side[0]), side[1], 210, "f", 100, 310);
    blames(side[0], side[2], 180, "f", 100, 260); /* and 20 of g */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_inlined_in_several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
