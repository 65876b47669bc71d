/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boards that share runs: who gets one, and who gets no more. Only their locks count. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "batch/board_pool.h"
#include "test_dir.h"

static char said[600]; /* the last note */
static struct mpj_err err;

static void note(const char *text)
{
    snprintf(said, sizeof(said), "%s", text);
}

static bool never(void *ctx)
{
    (void)ctx;
    return false;
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

static void write_list(const char *more)
{
    FILE *const f = fopen("boards.yaml", "we");

    assert_non_null(f);
    fprintf(f,
            "boards:\n"
            "  - {id: a, port: /dev/null, tags: [pool, one], calibration: mprofiler}\n"
            "  - {id: b, port: /dev/zero, tags: pool, calibration: mprofiler}\n"
            "  - {id: c, port: /dev/ttyNONE2, tags: pool, calibration: mprofiler}\n%s",
            more);
    assert_int_equal(fclose(f), 0);
}

static struct run_board_pool *open_pool(const char *target, unsigned most)
{
    const struct run_board_request r = {
        .target = target, .boards = "boards.yaml", .purpose = "test", .most = most, .note = note};
    struct run_board_pool *p = NULL;

    said[0] = '\0';
    err.text[0] = '\0';
    run_board_pool_open(&p, &r, &err);
    return p;
}

static const struct run_target *get(struct run_board_pool *p, const struct run_target * not )
{
    return run_board_pool_get(p, not, never, NULL, &err);
}

static void taken(void **state)
{
    struct run_board_pool *p;
    struct run_board_pool *q;

    (void)state;
    write_list("");
    p = open_pool(RUN_EMULATOR, 0);
    assert_null(p);
    assert_string_equal(err.text, "");
    p = open_pool("any:pool", 2);
    assert_int_equal(run_board_pool_size(p), 2);
    q = open_pool("any:pool", 0); /* what is left */
    assert_int_equal(run_board_pool_size(q), 1);
    assert_string_equal(get(q, NULL)->name, "c");
    assert_null(open_pool("any:pool", 0));
    assert_non_null(strstr(err.text, "all 3 boards are taken"));
    assert_null(open_pool("b", 0));
    assert_int_equal(err.code, MPJ_E_BUSY);
    run_board_pool_release(p);
    p = open_pool("b", 0); /* by its name: it alone */
    assert_int_equal(run_board_pool_size(p), 1);
    run_board_pool_release(p);
    run_board_pool_release(q);
    assert_null(open_pool("any:none", 0));
    assert_int_equal(err.code, MPJ_E_BOARDS);
    write_list("  - {id: d, port: /dev/ttyNONE3, tags: pool, calibration: epro-mp}\n");
    assert_null(open_pool("any:pool", 0));
    assert_non_null(strstr(err.text, "a and d have the same tag and different calibrations"));
    assert_null(open_pool("b,d", 0)); /* named */
    assert_non_null(strstr(err.text, "b and d have different calibrations"));
    p = open_pool("any:pool", 3); /* those are alike */
    assert_int_equal(run_board_pool_size(p), 3);
    run_board_pool_release(p);
}

/* Takes boards by a list of names, and refuses one that is not in order. */
static void named(void **state)
{
    static const struct {
        const char *target, *says;
    } bad[] = {
        {"a,x", "no board is called \"x\" in boards.yaml"},
        {"x,a", "no board is called \"x\" in boards.yaml"},
        {"a,sim", "no board is called \"sim\" in boards.yaml"},
        {"a,any:pool", "no board is called \"any:pool\" in boards.yaml"},
        {"a,b,a", "a is twice in \"a,b,a\""},
        {"a,", "the name of a board is missing in \"a,\""},
        {",a", "the name of a board is missing in \",a\""},
        {"a,,b", "the name of a board is missing in \"a,,b\""},
        {",", "the name of a board is missing in \",\""},
        {"f,e", "e and f have different platforms"},
    };
    struct run_board_pool *p;
    struct run_board_pool *q;

    (void)state;
    write_list("  - {id: ab, port: /dev/ttyNONE4, calibration: mprofiler}\n"
               "  - {id: e, port: /dev/ttyNONE5, platform: ox820}\n"
               "  - {id: f, port: /dev/ttyNONE6, platform: realview-eb-mpcore}\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_null(open_pool(bad[i].target, 0));
        assert_int_equal(err.code, MPJ_E_BOARDS);
        assert_non_null(strstr(err.text, bad[i].says));
    }
    p = open_pool("b,c,ab", 2);
    assert_int_equal(run_board_pool_size(p), 2);
    assert_int_equal(run_board_pool_most(p), 2);
    assert_string_equal(get(p, NULL)->name, "b");
    assert_string_equal(get(p, NULL)->name, "c");
    q = open_pool("ab,b", 0); /* what is left */
    assert_int_equal(run_board_pool_size(q), 1);
    assert_string_equal(get(q, NULL)->name, "ab");
    assert_null(open_pool("b,c", 0));
    assert_non_null(strstr(err.text, "all 2 boards are taken"));
    run_board_pool_release(q);
    run_board_pool_release(p);
}

/* The only board's port is there before anything is run, unless a hook may make it. */
static void attached(void **state)
{
    struct run_board_pool *p;

    (void)state;
    write_list("  - {id: d, port: /dev/ttyNONE3, power_cycle: 'true'}\n"
               "  - {id: e, usb_serial: NONE4}\n"
               "  - {id: f, port: 'tcp://localhost:1'}\n");
    assert_null(open_pool("c", 0));
    assert_string_equal(err.text, "no serial port /dev/ttyNONE2: is the adapter attached?");
    assert_int_equal(err.code, MPJ_E_NO_PORT);
    assert_null(open_pool("e", 0));
    assert_int_equal(err.code, MPJ_E_NO_PORT);
    assert_string_equal(err.text, "no USB serial adapter with serial number NONE4 is attached");
    for (const char *const *id = (const char *const[]){"a", "d", "f", NULL}; *id != NULL; id++) {
        p = open_pool(*id, 0);
        assert_non_null(p);
        run_board_pool_release(p);
    }
}

static void shared(void **state)
{
    struct run_board_pool *p;
    const struct run_target *a;
    const struct run_target *b;

    (void)state;
    write_list("");
    p = open_pool("any:pool", 2);
    a = get(p, NULL);
    b = get(p, NULL);
    assert_ptr_not_equal(a, b);
    assert_null(run_board_pool_get(p, NULL, always, NULL, &err)); /* all have a run */
    assert_int_equal(err.code, MPJ_E_CANCELLED);
    assert_true(run_board_pool_put(p, a, NULL));
    assert_ptr_equal(get(p, NULL), a);
    assert_true(run_board_pool_put(p, a, "lost"));
    assert_true(run_board_pool_put(p, b, NULL));
    assert_ptr_equal(get(p, a), b); /* another one than what failed */
    run_board_pool_release(p);
}

/* One that another program gives back joins when a run waits. */
static void later(void **state)
{
    struct run_board_pool *p;
    struct run_board_pool *other;
    const struct run_target *b;

    (void)state;
    write_list("");
    other = open_pool("one", 1);
    assert_null(other); /* a tag is not a name */
    other = open_pool("any:one", 1);
    p = open_pool("any:pool", 0);
    assert_int_equal(run_board_pool_size(p), 2);
    assert_int_equal(run_board_pool_most(p), 3);
    assert_non_null(get(p, NULL));
    b = get(p, NULL);
    run_board_pool_release(other);
    assert_string_equal(get(p, NULL)->name, "a"); /* waits for it */
    assert_int_equal(run_board_pool_size(p), 3);
    assert_true(run_board_pool_put(p, b, NULL));
    assert_ptr_equal(get(p, NULL), b);
    run_board_pool_release(p);
    p = open_pool("b", 0);
    assert_int_equal(run_board_pool_most(p), 1);
    run_board_pool_release(p);
}

/* A board that gets no more does not join again, nor does an unlike one, which keeps none away. */
static void joins_once(void **state)
{
    struct run_board_pool *p;
    struct run_board_pool *other;
    const struct run_target *a;
    const struct run_target *b;

    (void)state;
    write_list("  - {id: d, port: /dev/ttyNONE3, tags: pool, calibration: epro-mp}\n"
               "  - {id: e, port: /dev/ttyNONE4, tags: [pool, last], calibration: mprofiler}\n");
    other = open_pool("any:last", 1);
    p = open_pool("any:pool", 3);
    assert_int_equal(run_board_pool_size(p), 3);
    for (unsigned i = 0; i < 3; i++)
        a = get(p, NULL);
    for (unsigned i = 0; i < RUN_POOL_BLAMED; i++)
        run_board_pool_blame(p, a);
    assert_false(run_board_pool_put(p, a, "lost"));
    assert_int_equal(run_board_pool_size(p), 2);
    run_board_pool_release(other);
    b = get(p, a); /* not `a`, nor `d` */
    assert_string_equal(b->name, "e");
    assert_int_equal(run_board_pool_size(p), 3);
    run_board_pool_release(p);
}

/* One that fails what others make gets no more, unless it also makes some. */
static void blamed(void **state)
{
    struct run_board_pool *p;
    const struct run_target *a;
    const struct run_target *b;

    (void)state;
    write_list("");
    p = open_pool("any:pool", 2);
    a = get(p, NULL);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(run_board_pool_put(p, a, "lost"));
        run_board_pool_blame(p, a);
        assert_int_equal(run_board_pool_size(p), 2);
        assert_ptr_equal(get(p, NULL), a);
        assert_true(run_board_pool_put(p, a, NULL)); /* forgotten */
        assert_ptr_equal(get(p, NULL), a);
    }
    assert_true(run_board_pool_put(p, a, "lost"));
    run_board_pool_blame(p, a);
    assert_string_equal(said, "");
    assert_ptr_equal(get(p, NULL), a);
    run_board_pool_blame(p, a); /* which has a run: that ends first */
    assert_int_equal(run_board_pool_size(p), 2);
    assert_false(run_board_pool_put(p, a, "lost"));
    assert_string_equal(said,
                        "a failed to make runs that other boards made; other boards make its runs");
    assert_int_equal(run_board_pool_size(p), 1);
    b = get(p, a);
    assert_string_equal(b->name, "b");
    for (unsigned i = 0; i < 4; i++)
        run_board_pool_blame(p, b); /* the last one stays */
    assert_true(run_board_pool_put(p, b, "lost"));
    assert_ptr_equal(get(p, b), b);
    run_board_pool_release(p);
}

static void quarantined(void **state)
{
    struct run_board_pool *p;
    struct run_board_pool *q;
    const struct run_target *a;
    const struct run_target *b;

    (void)state;
    write_list("");
    p = open_pool("any:pool", 2);
    a = get(p, NULL);
    b = get(p, NULL);
    assert_int_equal(mpj_quarantine_put(getenv("MPJOULE_LOCKS"), a->board, "smoke", &err), 0);
    assert_false(run_board_pool_put(p, a, "lost"));
    assert_string_equal(said, "a is in quarantine (smoke); other boards make its runs");
    q = open_pool("a", 0); /* who names it gets it: it is not held any longer */
    assert_non_null(q);
    run_board_pool_release(q);
    assert_int_equal(mpj_quarantine_put(getenv("MPJOULE_LOCKS"), b->board, "fire", &err), 0);
    said[0] = '\0';
    assert_false(run_board_pool_put(p, b, "lost"));
    assert_string_equal(said, ""); /* the error says it */
    assert_null(get(p, NULL));
    assert_int_equal(err.code, MPJ_E_BOARDS);
    assert_string_equal(err.text, "no board is left: b is in quarantine (fire)");
    assert_int_equal(mpj_quarantine_lift(getenv("MPJOULE_LOCKS"), a->board, &err), 0);
    assert_int_equal(mpj_quarantine_lift(getenv("MPJOULE_LOCKS"), b->board, &err), 0);
    run_board_pool_release(p);
}

/* Gets the board, whose run then fails, n times. True if it gets more. */
static bool fail_runs(struct run_board_pool *p, unsigned n)
{
    bool stays = true;

    for (unsigned i = 0; i < n; i++)
        stays = run_board_pool_put(p, get(p, NULL), "the board is silent");
    return stays;
}

/* The only board gets no more after a few failures in a row: it may be gone. */
static void gone(void **state)
{
    struct run_board_pool *p;

    (void)state;
    write_list("");
    p = open_pool("a", 0);
    assert_true(fail_runs(p, RUN_POOL_FAILED - 1));
    assert_true(run_board_pool_put(p, get(p, NULL), NULL)); /* forgotten */
    assert_true(fail_runs(p, RUN_POOL_FAILED - 1));
    assert_false(fail_runs(p, 1));
    assert_int_equal(run_board_pool_size(p), 0);
    assert_null(get(p, NULL));
    assert_int_equal(err.code, MPJ_E_BOARDS);
    assert_string_equal(err.text,
                        "no board is left: a failed 3 runs in a row (the board is silent)");
    assert_string_equal(said, "");
    run_board_pool_release(p);
}

/* As long as one of several makes runs, others that fail stay; all that fail are given up. */
static void all_gone(void **state)
{
    struct run_board_pool *p;
    const struct run_target *a;
    const struct run_target *b;

    (void)state;
    write_list("");
    p = open_pool("a,b", 0);
    a = get(p, NULL);
    b = get(p, NULL);
    for (unsigned i = 0; i < 2 * RUN_POOL_FAILED; i++) {
        assert_true(run_board_pool_put(p, a, "lost"));
        assert_ptr_equal(get(p, b), a);
    }
    assert_true(run_board_pool_put(p, b, NULL));
    assert_ptr_equal(get(p, a), b);
    for (unsigned i = 0; i + 1 < RUN_POOL_FAILED; i++) {
        assert_true(run_board_pool_put(p, b, "silent"));
        assert_ptr_equal(get(p, a), b);
    }
    assert_false(run_board_pool_put(p, b, "silent"));
    assert_string_equal(said, "b failed 3 runs in a row (silent); other boards make its runs");
    assert_false(run_board_pool_put(p, a, "lost"));
    assert_null(get(p, NULL));
    assert_string_equal(err.text, "no board is left: a failed 7 runs in a row (lost)");
    run_board_pool_release(p);
}

static int enter(void **state)
{
    char folder[1000];

    /* a lock that this process takes there would be one that it inherited */
    if (fcntl(MPJ_CHILD_KEPT, F_GETFD) < 0 && dup2(STDERR_FILENO, MPJ_CHILD_KEPT) < 0)
        return -1;
    if (test_dir_enter(state) != 0 || getcwd(folder, sizeof(folder)) == NULL)
        return -1;
    return setenv("MPJOULE_LOCKS", folder, 1) + setenv("MPJOULE_PORT_LOCKS", folder, 1) +
           setenv("MPJOULE_FIRMWARE", folder, 1); /* no runtime: any platform */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),    cmocka_unit_test(named),       cmocka_unit_test(attached),
        cmocka_unit_test(shared),   cmocka_unit_test(later),       cmocka_unit_test(joins_once),
        cmocka_unit_test(blamed),   cmocka_unit_test(quarantined), cmocka_unit_test(gone),
        cmocka_unit_test(all_gone),
    };

    return cmocka_run_group_tests(tests, enter, test_dir_leave);
}
