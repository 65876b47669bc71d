/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: locks in a folder that several users share. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "test_dir.h"

static struct mpj_err err;

/* Starts a process of another user that holds a lock until it is killed. */
static pid_t locked_by_other(const char *path, mode_t mode)
{
    int ready[2];
    pid_t child;
    char byte = 0;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        const int fd = seteuid(65534) == 0 ? open(path, O_RDWR | O_CREAT, mode) : -1;
        byte = fd >= 0 && flock(fd, LOCK_EX) == 0;
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

/* A lock is that of everybody in the folder: it is not taken from another user. */
static void locks(void **state)
{
    struct stat before;
    struct stat st;
    pid_t child;
    int fd;

    (void)state;
    fd = mpj_file_lock("lock", false, &err);
    assert_true(fd >= 0);
    assert_int_equal(mpj_file_lock("lock", false, &err), MPJ_E_BUSY);
    assert_string_equal(err.text, "lock is locked by another process");
    close(fd);
    assert_int_equal(unlink("lock"), 0);
    /* a link is not followed, a pipe not waited for; a folder is none */
    assert_int_equal(symlink("nothing", "lock"), 0);
    fd = mpj_file_lock("lock", true, &err);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(access("nothing", F_OK), -1);
    assert_int_equal(unlink("lock"), 0);
    assert_int_equal(mkfifo("lock", 0600), 0);
    fd = mpj_file_lock("lock", false, &err);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(unlink("lock"), 0);
    assert_int_equal(mpj_file_lock(".", true, &err), MPJ_E_IO);
    assert_int_equal(mpj_file_lock("no/such", true, &err), MPJ_E_IO);
    if (geteuid() != 0)
        return;
    assert_int_equal(mkdir("shared", 0777), 0);
    assert_int_equal(chmod("shared", 0777), 0);
    assert_int_equal(chmod(".", 0755), 0);
    child = locked_by_other("shared/lock", 0644);
    assert_int_equal(lstat("shared/lock", &before), 0);
    assert_int_equal(before.st_uid, 65534);
    assert_int_equal(mpj_file_lock("shared/lock", false, &err), MPJ_E_BUSY);
    assert_int_equal(lstat("shared/lock", &st), 0);
    assert_int_equal(st.st_ino, before.st_ino);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    /* left over: locked as it is */
    fd = mpj_file_lock("shared/lock", true, &err);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_ino, before.st_ino);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
