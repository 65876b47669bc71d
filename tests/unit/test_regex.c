/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target's regular expressions beside those of this machine's C library, on generated patterns.
 */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regex_int.h"

#define PARTS 10
#define CASES 8000U

static uint64_t state = 88172645463325252ULL;

static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

/*
 * Both find the pattern wrong, or the same match; with `parts` also the same parts of groups. 0, or
 * 1 and a line.
 */
static int differs(const char *pattern, const char *text, int flags, int how, bool parts)
{
    const struct re_options options = {.extended = (flags & REG_EXTENDED) != 0,
                                       .any_case = (flags & REG_ICASE) != 0,
                                       .lines = (flags & REG_NEWLINE) != 0};
    const struct re_text t = {.at = (const unsigned char *)text,
                              .n = strlen(text),
                              .not_begin = (how & REG_NOTBOL) != 0,
                              .not_end = (how & REG_NOTEOL) != 0};
    struct re_part ours[PARTS];
    regmatch_t theirs[PARTS];
    struct re re;
    regex_t host;
    const enum re_error error = mpj_re_parse(&re, pattern, strlen(pattern), options);
    const int want = regcomp(&host, pattern, flags);
    int wrong = 0;

    if ((want != 0) != (error != RE_OK)) {
        print_message("'%s' flags %d: error %d, not %d\n", pattern, flags, (int)error, want);
        wrong = 1;
    }
    if (want == 0 && error == RE_OK) {
        const int found = regexec(&host, text, PARTS, theirs, how);
        const enum re_error mine = mpj_re_match(&re, &t, ours, PARTS);

        if ((mine == RE_OK) != (found == 0)) {
            print_message("'%s' in '%s' flags %d how %d: %d, not %d\n", pattern, text, flags, how,
                          (int)mine, found);
            wrong = 1;
        }
        for (unsigned i = 0; found == 0 && wrong == 0 && i < (parts ? PARTS : 1U); i++) {
            const int from = ours[i].from == RE_NONE ? -1 : (int)ours[i].from;
            const int end = ours[i].from == RE_NONE ? -1 : (int)ours[i].end;

            if (from != theirs[i].rm_so || end != theirs[i].rm_eo) {
                print_message("'%s' in '%s' flags %d how %d: part %u is %d-%d, not %d-%d\n",
                              pattern, text, flags, how, i, from, end, (int)theirs[i].rm_so,
                              (int)theirs[i].rm_eo);
                wrong = 1;
            }
        }
    }
    if (error == RE_OK)
        mpj_re_free(&re);
    if (want == 0)
        regfree(&host);
    return wrong;
}

/* Any bytes of a pattern in any order: errors, and what is special where. */
static void test_any(void **unused)
{
    static const char *const pieces[] = {"a",
                                         "b",
                                         "c",
                                         "*",
                                         "+",
                                         "?",
                                         ".",
                                         "^",
                                         "$",
                                         "\\(",
                                         "\\)",
                                         "(",
                                         ")",
                                         "|",
                                         "{",
                                         "}",
                                         "\\{",
                                         "\\}",
                                         "1",
                                         "2",
                                         ",",
                                         "[",
                                         "]",
                                         "-",
                                         "[^",
                                         "[:",
                                         ":]",
                                         "[.",
                                         ".]",
                                         "\\",
                                         "\\|",
                                         "\\+",
                                         "\\?",
                                         "\\w",
                                         "\\W",
                                         "\\s",
                                         "\\S",
                                         "\\b",
                                         "\\B",
                                         "\\<",
                                         "\\>",
                                         "\\`",
                                         "\\'",
                                         "alpha",
                                         "upper",
                                         "[[:alpha:]]",
                                         "[[:digit:]_]",
                                         "[a-c]",
                                         "[^b]",
                                         "\n",
                                         " ",
                                         "A"};
    static const char letters[] = "abcAB1 _\n,";
    unsigned wrong = 0;

    (void)unused;
    for (unsigned i = 0; i < CASES; i++) {
        char pattern[80] = "";
        char text[12] = "";
        const unsigned n = 1 + below(7);
        const unsigned length = below(10);
        const int flags = (int)(below(2) | below(2) << 1 | (below(4) == 0) << 2);

        for (unsigned k = 0; k < n; k++)
            strcat(pattern, pieces[below(sizeof(pieces) / sizeof(pieces[0]))]);
        for (unsigned k = 0; k < length; k++)
            text[k] = letters[below(sizeof(letters) - 1)];
        /* What this machine's does otherwise than POSIX: an escaped letter, and a range to a byte
         * that is no letter, in any case; anchors at a newline that ends no line. */
        if ((flags & REG_ICASE) != 0 && (strchr(pattern, '-') != NULL || strstr(pattern, "\\a")))
            continue;
        if ((flags & REG_NEWLINE) == 0 && strchr(text, '\n') != NULL)
            continue;
        wrong += (unsigned)differs(pattern, text, flags, (int)below(4), false);
    }
    assert_int_equal(wrong, 0);
}

/*
 * An extended expression. unique: without alternatives and without groups that may be repeated in
 * several ways, where this machine's C library does not always give a group the longest part.
 */
static void generate(char *to, unsigned depth, bool unique)
{
    static const char *const atoms[] = {"a", "b", "c", "[ab]", "[^a]", ".", "ab", "bc"};
    static const char *const counts[] = {"*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,3}"};
    const unsigned parts = 1 + below(3);

    for (unsigned i = 0; i < parts; i++) {
        const bool group = depth > 0 && below(3) == 0;

        if (group) {
            strcat(to, "(");
            generate(to, depth - 1, unique);
            if (!unique && below(2) == 0) {
                strcat(to, "|");
                generate(to, depth - 1, unique);
            }
            strcat(to, ")");
        } else {
            strcat(to, atoms[below(8)]);
        }
        if (below(3) == 0 && !(group && unique))
            strcat(to, counts[below(7)]);
    }
}

static unsigned well_formed(bool unique)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < CASES; i++) {
        char pattern[2000] = "";
        char text[16] = "";
        const unsigned length = below(15);

        generate(pattern, 2, unique);
        for (unsigned k = 0; k < length; k++)
            text[k] = (char)('a' + below(3));
        wrong += (unsigned)differs(pattern, text, REG_EXTENDED, 0, unique);
    }
    return wrong;
}

static void test_well_formed(void **unused)
{
    (void)unused;
    assert_int_equal(well_formed(false), 0);
}

static void test_groups(void **unused)
{
    (void)unused;
    assert_int_equal(well_formed(true), 0);
}

/* By hand, after the rules of POSIX: from left to right, each part is as long as it can be; a group
 * holds its last turn, and an empty one only if it must. */
static void test_known(void **unused)
{
    static const struct {
        const char *pattern;
        const char *text;
        const char *parts; /* from-end of each, - for none */
    } known[] = {
        {"(a|ab)(c|bcd)(d*)", "abcd", "0-4 0-2 2-3 3-4"},
        {"(a|ab)(bcd|c)(d*)", "abcd", "0-4 0-2 2-3 3-4"},
        {"(a*)(ab)*(b*)", "abb", "0-3 0-1 - 1-3"},
        {"(b*){2}", "bb", "0-2 2-2"},
        {"(b*){0,2}", "bb", "0-2 0-2"},
        {"(a*)*", "b", "0-0 0-0"},
        {"(a*)+", "aa", "0-2 0-2"},
        {"(a|(b))*", "ba", "0-2 1-2 -"},
        {"([^a]|[^a]{2})[^a].*", "cbbb", "0-4 0-2"},
        {"x(..|.)*y", "xabcy", "0-5 3-4"},
        {"(a)\\1|b", "baa", "0-1 -"},
        {"(a.)(\\1)", "xababab", "1-5 1-3 3-5"},
        {"(.*)x\\1$", "abxb", "1-4 1-2"},
        {"(^|,)([0-9]+)($|,)", "a,12", "1-4 1-2 2-4 4-4"},
        {"\\b(\\w+)\\W+\\1\\b", "is this this it", "3-12 3-7"},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const struct re_text text = {.at = (const unsigned char *)known[i].text,
                                     .n = strlen(known[i].text)};
        const struct re_options options = {.extended = true};
        struct re_part parts[PARTS];
        char said[100] = "";
        struct re re;

        assert_int_equal(mpj_re_parse(&re, known[i].pattern, strlen(known[i].pattern), options),
                         RE_OK);
        assert_int_equal(mpj_re_match(&re, &text, parts, PARTS), RE_OK);
        for (unsigned k = 0; k <= re.groups; k++) {
            const size_t at = strlen(said);

            if (parts[k].from == RE_NONE)
                snprintf(said + at, sizeof(said) - at, "%s-", k > 0 ? " " : "");
            else
                snprintf(said + at, sizeof(said) - at, "%s%zu-%zu", k > 0 ? " " : "", parts[k].from,
                         parts[k].end);
        }
        assert_string_equal(said, known[i].parts);
        mpj_re_free(&re);
    }
}

static void test_errors(void **unused)
{
    static const struct {
        const char *pattern;
        bool extended;
        enum re_error error;
    } known[] = {
        {"[[:foo:]]", true, RE_BAD_CLASS}, {"[[.ab.]]", true, RE_BAD_SYMBOL},
        {"a\\", true, RE_BAD_ESCAPE},      {"(a)\\2", true, RE_BAD_GROUP},
        {"(a\\1)", true, RE_BAD_GROUP},    {"[a", true, RE_BAD_BRACKET},
        {"(a", true, RE_BAD_PAREN},        {"\\(a", false, RE_BAD_PAREN},
        {"a\\)", false, RE_BAD_PAREN},     {"a{1", true, RE_BAD_BRACE},
        {"a{2,1}", true, RE_BAD_COUNT},    {"a{x}", true, RE_BAD_COUNT},
        {"a{99999}", true, RE_BAD_COUNT},  {"[b-a]", true, RE_BAD_RANGE},
        {"*a", true, RE_BAD_REPEAT},       {"a|+", true, RE_BAD_REPEAT},
        {"\\{1\\}", false, RE_BAD_REPEAT},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const struct re_options options = {.extended = known[i].extended};
        struct re re;

        assert_int_equal(mpj_re_parse(&re, known[i].pattern, strlen(known[i].pattern), options),
                         known[i].error);
    }
}

/* What a matcher that tries all ways does not end with. */
static void test_hard(void **unused)
{
    static const char *const hard[] = {"(a*)*b", "(a|aa)*b", "(a?){20}a{20}b", "(x+x+)+y"};
    char text[201];

    (void)unused;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++) {
        const struct re_text t = {.at = (const unsigned char *)text, .n = strlen(text)};
        const struct re_options options = {.extended = true};
        struct re_part parts[2];
        struct re re;

        assert_int_equal(mpj_re_parse(&re, hard[i], strlen(hard[i]), options), RE_OK);
        assert_int_equal(mpj_re_match(&re, &t, parts, 2), RE_NO_MATCH);
        mpj_re_free(&re);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),    cmocka_unit_test(test_well_formed),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_known),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_hard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
