/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of what a run was given: escapes, values in pieces, labels that nobody wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/given.h"

static void there_and_back(const char *text, const char *escaped)
{
    char *const out = mpj_given_escape(text);

    assert_non_null(out);
    assert_string_equal(out, escaped);
    mpj_given_unescape(out);
    assert_string_equal(out, text);
    free(out);
}

static void escapes(void **state)
{
    (void)state;
    there_and_back("", "");
    there_and_back("plain text, ä€😀", "plain text, ä€😀");
    there_and_back("a\nb\tc\x1b[0m\x7f", "a\\nb\\tc\\x1b[0m\\x7f");
    there_and_back("a+b\\n", "a\\x2bb\\x5cn");
    there_and_back("\xff\xc3", "\\xff\\xc3");
}

/* All else stays, and none makes a text shorter than it looks. */
static void no_escapes(void **state)
{
    static const char *const same[] = {"\\",    "\\x", "\\x1", "\\xg1",
                                       "\\x00", "\\q", "\\N",  "\\x0G"};

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        char text[16];
        snprintf(text, sizeof(text), "%s", same[i]);
        mpj_given_unescape(text);
        assert_string_equal(text, same[i]);
    }
}

static void labels(void **state)
{
    static const char *const label[][2] = {
        {"argument.1", "one"},
        {"argument.10", "ten"},
        {"argument.2", "long, "},
        {"argument.2+", "longer, "},
        {"argument.2++", "\\x2b"},
        {"argument.0", "no number"},
        {"argument.99999999999", "no number"},
        {"argument.x", "no number"},
        {"environment.A", "1"},
        {"environment.A+", "2"},
        {"environment.A\\x2b", "3"},
        {"option.F", "work"},
        {"option.F.2", "a b"},
        {"option.functions", "on"},
        {"program_path", "./x y"},
        {"stdin_bytes", "12"},
        {"stdin_sha256", "ab"},
        {"stdin_something", "?"},
    };
    struct mpj_given g = {0};
    struct mpj_err err;
    char *text = NULL;
    size_t size = 0;
    FILE *f;

    (void)state;
    for (size_t i = 0; i < sizeof(label) / sizeof(label[0]); i++)
        assert_int_equal(mpj_given_label(&g, label[i][0], label[i][1], &err), MPJ_E_OK);
    mpj_given_end(&g);
    assert_true(g.known);
    assert_int_equal(g.arguments, 10);
    assert_string_equal(g.argument[0], "one");
    assert_string_equal(g.argument[1], "long, longer, +");
    assert_null(g.argument[2]);
    assert_int_equal(g.environments, 2);
    assert_string_equal(g.environment[0].value, "12");
    assert_string_equal(g.environment[1].name, "A+");
    assert_int_equal(g.stdin_bytes, 12);
    assert_string_equal(mpj_given_option(&g, "F.2"), "a b");
    assert_null(mpj_given_option(&g, "N"));
    f = open_memstream(&text, &size);
    assert_non_null(f);
    mpj_given_command(&g, "x", "samples", f);
    fclose(f);
    assert_string_equal(text, "mpjoule run --samples -F work -F 'a b' --functions --env A=12 --env "
                              "A+=3 './x y' -- one 'long, longer, +' '' '' '' '' '' '' '' ten");
    free(text);
    /* what takes another time has no profile */
    f = open_memstream(&text, &size);
    assert_non_null(f);
    mpj_given_command(&g, "x", "what-if='lock:a b=free'", f);
    fclose(f);
    assert_string_equal(text,
                        "mpjoule run --what-if='lock:a b=free' -F work -F 'a b' --env A=12 "
                        "--env A+=3 './x y' -- one 'long, longer, +' '' '' '' '' '' '' '' ten");
    free(text);
    mpj_given_free(&g);
}

/* A piece without a beginning, and nothing at all. */
static void odd(void **state)
{
    struct mpj_given g = {0};
    struct mpj_err err;

    (void)state;
    assert_null(mpj_given_arguments(&g));
    assert_int_equal(mpj_given_label(&g, "environment.B+", "x", &err), MPJ_E_OK);
    assert_int_equal(mpj_given_label(&g, "option.+", "x", &err), MPJ_E_OK);
    assert_int_equal(mpj_given_label(&g, "argument.", "x", &err), MPJ_E_OK);
    assert_int_equal(g.environments + g.options + g.arguments, 0);
    assert_false(g.known);
    mpj_given_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(no_escapes),
        cmocka_unit_test(labels),
        cmocka_unit_test(odd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
