/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks between people and jobs on one machine: flock() on a file that every user can read, which
 * is enough for it. The kernel releases the lock when its holder dies. The file's text has more on
 * its holder, where that is the file's owner; it counts only if the kernel names the same process.
 */
#include "hil/board.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hil/port.h"
#include "holder.h"

#define TEXT_MAX   200U
#define FILE_MODE  0644         /* others only read and lock */
#define PROCESS    ", process " /* before the number */
#define TRIES_A_S  5U           /* for a lock that is held */
#define LOOKS_MOST 50U          /* times a lock is found shared by a process that only reads it */

struct mpj_lock {
    int fd;
};

/* Builds the path of a lock. Two names of one port have one lock; an adapter that is not attached
 * has its own. */
static int lock_path(char out[PATH_MAX], const char *folder, const struct mpj_board *board)
{
    const struct mpj_port_id id = {board->port, board->usb_serial, NULL};
    struct mpj_err ignored;
    char real[PATH_MAX];
    char *port = NULL;
    const bool attached = mpj_port_find(&port, &id, &ignored) == MPJ_E_OK;
    const char *name = attached ? port : board->usb_serial;
    size_t n;

    if (attached && realpath(port, real) != NULL)
        name = real;
    n = (size_t)snprintf(out, PATH_MAX, "%s/%s", folder, attached ? "" : "usb-");
    if (name == NULL || n + strlen(name) + 1 > PATH_MAX) {
        free(port);
        return -1;
    }
    for (; *name != '\0'; name++)
        out[n++] = *name == '/' ? '_' : *name;
    out[n] = '\0';
    free(port);
    return 0;
}

static int open_file(const char *folder, const struct mpj_board *board, struct mpj_err *err)
{
    char path[PATH_MAX];
    struct stat st;
    int fd;

    if (mkdir(folder, 01777) == 0)
        (void)chmod(folder, 01777); /* past the umask: everybody's */
    else if (errno != EEXIST)
        return mpj_err_errno(err, "cannot make the folder of locks %s", folder);
    if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_IO, "%s is not a folder: locks of boards belong there",
                           folder);
    if (lock_path(path, folder, board) != 0)
        return mpj_err_set(err, MPJ_E_USAGE, "the name of the port is too long");
    /* without O_CREAT first: in such a folder the kernel refuses it for a file of others */
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == EACCES)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0)
        return mpj_err_errno(err, "cannot open the lock %s", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink > 1) {
        close(fd); /* what says who has the board would be written there */
        return mpj_err_set(err, MPJ_E_IO,
                           "the lock %s is another file, too (a hard link), or none: remove it",
                           path);
    }
    if (st.st_uid == geteuid())
        (void)fchmod(fd, FILE_MODE); /* past the umask */
    return fd;
}

static void read_holder(int fd, char *out, size_t cap)
{
    const ssize_t n = pread(fd, out, cap - 1, 0);
    const char *number;
    struct stat st;
    long pid = 0;

    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (fstat(fd, &st) == 0)
        pid = flock_holder(&st);
    number = strstr(out, PROCESS);
    if (pid > 0 && (number == NULL || strtol(number + strlen(PROCESS), NULL, 10) != pid))
        holder_describe(pid, out, cap);
    else if (out[0] == '\0')
        snprintf(out, cap, "another process");
    mpj_text_clean(out);
}

static void say_holder(int fd, const char *purpose)
{
    const struct passwd *const user = getpwuid(geteuid());
    const time_t now = time(NULL);
    char text[TEXT_MAX];
    char since[32];
    struct tm tm;

    localtime_r(&now, &tm);
    strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S", &tm);
    snprintf(text, sizeof(text), "%s" PROCESS "%ld (%s) since %s\n",
             user != NULL ? user->pw_name : "unknown user", (long)getpid(), purpose, since);
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, strlen(text), 0);
}

int mpj_lock_take(struct mpj_lock **out, const char *folder, const struct mpj_board *board,
                  const char *purpose, unsigned wait_s, struct mpj_err *err)
{
    const struct timespec pause = {0, 1000000000L / TRIES_A_S};
    struct mpj_lock *const l = calloc(1, sizeof(*l));
    char holder[TEXT_MAX];
    unsigned tries = 0;
    unsigned looks = 0;

    *out = NULL;
    if (l == NULL)
        return mpj_err_nomem(err);
    l->fd = open_file(folder, board, err);
    if (l->fd < 0) {
        free(l);
        return err->code;
    }
    while (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
        /* A process that only reads the holder shares the lock, for a moment. */
        const bool looked_at = flock(l->fd, LOCK_SH | LOCK_NB) == 0;

        if (looked_at)
            (void)flock(l->fd, LOCK_UN);
        if (looked_at ? ++looks > LOOKS_MOST : ++tries > wait_s * TRIES_A_S) {
            read_holder(l->fd, holder, sizeof(holder));
            mpj_err_set(err, MPJ_E_BUSY, "%s is taken by %s", board->id, holder);
            close(l->fd);
            free(l);
            return err->code;
        }
        nanosleep(&pause, NULL);
    }
    say_holder(l->fd, purpose);
    *out = l;
    return MPJ_E_OK;
}

void mpj_lock_release(struct mpj_lock *l)
{
    if (l == NULL)
        return;
    (void)!ftruncate(l->fd, 0);
    close(l->fd);
    free(l);
}

void mpj_lock_holder(const char *folder, const struct mpj_board *board, char *out, size_t cap)
{
    char path[PATH_MAX];
    int fd;

    out[0] = '\0';
    if (lock_path(path, folder, board) != 0 ||
        (fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) < 0)
        return;
    if (flock(fd, LOCK_SH | LOCK_NB) != 0)
        read_holder(fd, out, cap);
    close(fd);
}
