/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hil/: the name of a cable's end, which is not taken from another file. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hil/cable.h"
#include "test_dir.h"

#define LINK  "tile"
#define TURNS 1000U /* of 20 ms at most */

static struct mpj_err err;

/* Creates a file of somebody else at the link's name. */
static void take_name(void)
{
    const int fd = open(LINK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
}

/* The file is still there; removes it. */
static void still_there(void)
{
    struct stat st;

    assert_int_equal(lstat(LINK, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(unlink(LINK), 0);
}

static void ends(void **state)
{
    const struct mpj_cable_options opt = {.link = LINK};
    struct mpj_cable *c;
    struct stat st;

    (void)state;
    assert_int_equal(mpj_cable_new(&c, &opt, &err), MPJ_E_OK);
    assert_int_equal(lstat(LINK, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    mpj_cable_free(c);
    assert_int_not_equal(lstat(LINK, &st), 0);
    /* replaced by its user */
    assert_int_equal(mpj_cable_new(&c, &opt, &err), MPJ_E_OK);
    assert_int_equal(unlink(LINK), 0);
    take_name();
    mpj_cable_free(c);
    still_there();
}

static void taken(void **state)
{
    const struct mpj_cable_options opt = {.link = LINK};
    struct mpj_cable *c;

    (void)state;
    take_name();
    assert_int_equal(mpj_cable_new(&c, &opt, &err), MPJ_E_BUSY);
    assert_null(c);
    still_there();
}

/* No more descriptors: there is no pseudo-terminal, and never was a link. */
static void no_terminal(void **state)
{
    const struct mpj_cable_options opt = {.link = LINK};
    struct rlimit before;
    struct rlimit none;
    struct mpj_cable *c;
    int result;
    int fd;

    (void)state;
    take_name();
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = (rlim_t)fd, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    result = mpj_cable_new(&c, &opt, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(result, MPJ_E_IO);
    still_there();
}

/* Its name is taken while it is unplugged. */
static void unplugged(void **state)
{
    const struct mpj_cable_options opt = {
        .link = LINK, .waits = true, .unplug = 4, .unplug_ms = 100};
    struct mpj_cable *c;
    struct stat st;
    int board[2];
    int result = 0;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, board), 0);
    assert_int_equal(mpj_cable_new(&c, &opt, &err), MPJ_E_OK);
    assert_int_equal(write(board[1], "12345678", 8), 8);
    for (unsigned i = 0; i < TURNS && lstat(LINK, &st) == 0; i++)
        assert_int_equal(mpj_cable_turn(c, board[0], &err), 0);
    take_name();
    for (unsigned i = 0; i < TURNS && result == 0; i++)
        result = mpj_cable_turn(c, board[0], &err);
    assert_int_equal(result, MPJ_E_BUSY);
    mpj_cable_free(c);
    still_there();
    close(board[0]);
    close(board[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),
        cmocka_unit_test(taken),
        cmocka_unit_test(no_terminal),
        cmocka_unit_test(unplugged),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
