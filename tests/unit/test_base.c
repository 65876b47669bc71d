/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: files that are whole or not there, fields of CSV. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/file.h"
#include "test_dir.h"

static struct mpj_err err;

static int put_text(const void *what, FILE *f, struct mpj_err *e)
{
    return fputs(what, f) < 0 ? mpj_err_errno(e, "cannot write") : MPJ_E_OK;
}

static int put_half(const void *what, FILE *f, struct mpj_err *e)
{
    fputs(what, f);
    return mpj_err_set(e, MPJ_E_STORE, "no more of it");
}

static void holds(const char *path, const char *want)
{
    char text[64] = "";
    FILE *const f = fopen(path, "re");

    assert_non_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, want);
}

static void whole_or_not(void **state)
{
    (void)state;
    assert_int_equal(mpj_file_write("a", put_text, "first", &err), MPJ_E_OK);
    holds("a", "first");
    assert_int_equal(access("a.new", F_OK), -1);
    /* a failure leaves what was there, and nothing beside it */
    assert_int_equal(mpj_file_write("a", put_half, "sec", &err), MPJ_E_STORE);
    assert_string_equal(err.text, "no more of it");
    holds("a", "first");
    assert_int_equal(access("a.new", F_OK), -1);
    assert_int_equal(mpj_file_write("b", put_half, "sec", &err), MPJ_E_STORE);
    assert_int_equal(access("b", F_OK), -1);
    assert_int_equal(mpj_file_write("a", put_text, "third", &err), MPJ_E_OK);
    holds("a", "third");
}

static void keeps_mode(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mpj_file_write("m", put_text, "x", &err), MPJ_E_OK);
    assert_int_equal(chmod("m", 0640), 0);
    assert_int_equal(mpj_file_write("m", put_text, "y", &err), MPJ_E_OK);
    assert_int_equal(stat("m", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

/* What cannot be replaced is written where it is. */
static void in_place(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(symlink("far", "near"), 0);
    assert_int_equal(mpj_file_write("near", put_text, "through", &err), MPJ_E_OK);
    holds("far", "through");
    assert_int_equal(lstat("near", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(mpj_file_write("/dev/full", put_text, "x", &err), MPJ_E_FULL);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_int_equal(access("/dev/full.new", F_OK), -1);
    assert_int_equal(mpj_file_write("no/such/folder", put_text, "x", &err), MPJ_E_IO);
    assert_string_equal(err.text, "cannot create no/such/folder: No such file or directory");
}

/* What is there already, or comes meanwhile, stays. */
static void new_only(void **state)
{
    (void)state;
    assert_int_equal(mpj_file_new("n", put_text, "first", &err), MPJ_E_OK);
    assert_int_equal(mpj_file_new("n", put_text, "second", &err), MPJ_E_BUSY);
    holds("n", "first");
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(mpj_file_new("dangling", put_text, "x", &err), MPJ_E_BUSY);
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(mpj_file_new("half", put_half, "x", &err), MPJ_E_STORE);
    assert_int_equal(access("half", F_OK), -1);
    assert_int_equal(system("ls | grep -E 'n[.]|half[.]|dangling[.]'"), 1 << 8);
}

static void fields(void **state)
{
    static const struct {
        const char *text, *field, *quoted;
    } t[] = {
        {"", "", "\"\""},
        {"plain", "plain", "\"plain\""},
        {"a,b", "\"a,b\"", "\"a,b\""},
        {"say \"x\"", "\"say \"\"x\"\"\"", "\"say \"\"x\"\"\""},
        {"two\nlines", "\"two\nlines\"", "\"two\nlines\""},
        {NULL, "", "\"\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        FILE *f = fopen("f", "we");
        mpj_csv_text(f, t[i].text);
        fclose(f);
        holds("f", t[i].field);
        f = fopen("f", "we");
        mpj_csv_quoted(f, t[i].text);
        fclose(f);
        holds("f", t[i].quoted);
    }
}

static void clocks(void **state)
{
    const double a = mpj_clock_s();
    const uint32_t ms = mpj_clock_ms();

    (void)state;
    usleep(20000);
    assert_true(mpj_clock_s() - a >= 0.02);
    assert_true(mpj_clock_ms() - ms >= 19);
}

static void clean_text(void **state)
{
    char text[] = "a\x1b[2J\xc2\x9b"
                  "31m\x9b\xc4\x9b\xe2\x82\xac\x7f\n\xc4";

    (void)state;
    mpj_text_clean(text);
    assert_string_equal(text, "a [2J  31m \xc4\x9b\xe2\x82\xac   ");
    mpj_err_set(&err, MPJ_E_IO, "%s",
                "\xc2\x9b"
                "2Jx");
    assert_string_equal(err.text, "  2Jx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_not), cmocka_unit_test(keeps_mode), cmocka_unit_test(in_place),
        cmocka_unit_test(fields),       cmocka_unit_test(clocks),     cmocka_unit_test(clean_text),
        cmocka_unit_test(new_only),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
