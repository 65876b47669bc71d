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

#include "base/stop.h"
#include "hil/port.h"
#include "holder.h"
#include "turn.h"

#define TEXT_MAX   200U
#define FILE_MODE  0644         /* others only read and lock */
#define PROCESS    ", process " /* before the number */
#define TRIES_A_S  5U           /* for a lock that is held */
#define REOPENS    10U          /* of a lock whose file is removed again and again */
#define LOOKS_MOST 50U          /* times a lock is found shared by a process that only reads it */

struct mpj_lock {
    int fd;
    bool inherited;
};

/* Writes FOLDER/PREFIXname, whose slashes become underscores; false: too long. */
static bool join(char out[PATH_MAX], const char *folder, const char *prefix, const char *name)
{
    const int n = snprintf(out, PATH_MAX, "%s/%s%s", folder, prefix, name);

    if (n < 0 || n >= PATH_MAX)
        return false;
    for (char *p = out + strlen(folder) + 1; *p != '\0'; p++)
        *p = *p == '/' ? '_' : *p;
    return true;
}

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
    bool joined;

    if (attached && realpath(port, real) != NULL)
        name = real;
    joined = name != NULL && join(out, folder, attached ? "" : "usb-", name);
    free(port);
    return joined ? 0 : -1;
}

/* Makes the folder of locks, which is everybody's. */
static int make_folder(const char *folder, struct mpj_err *err)
{
    struct stat st;

    if (mkdir(folder, 01777) == 0)
        (void)chmod(folder, 01777); /* past the umask: everybody's */
    else if (errno != EEXIST)
        return mpj_err_errno(err, "cannot create the folder of locks %s", folder);
    if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_IO, "%s is not a folder, and the locks of boards need one",
                           folder);
    return MPJ_E_OK;
}

/* Opens the lock of a board; sets its path. */
static int open_file(char path[PATH_MAX], const char *folder, const struct mpj_board *board,
                     struct mpj_err *err)
{
    struct stat st;
    int fd;

    if (make_folder(folder, err) != MPJ_E_OK)
        return err->code;
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

/* True if the file of a lock is still what its path names: its owner may remove it meanwhile. */
static bool is_at(int fd, const char *path)
{
    struct stat is;
    struct stat now;

    return fstat(fd, &is) == 0 && lstat(path, &now) == 0 && is.st_dev == now.st_dev &&
           is.st_ino == now.st_ino;
}

/* A board that would do, and this process's place among those that wait for it. */
struct candidate {
    const struct mpj_board *board;
    const char *folder;
    char path[PATH_MAX];
    int fd;
    struct turn turn;
};

enum found { TAKEN, HELD, LOOKED_AT, WAITED_FOR };

/* Locks the file that the path names now: a removed file that we waited for excludes no other
 * process. */
static bool lock_file(struct candidate *c)
{
    struct mpj_err ignored;

    for (unsigned tries = 0; tries < REOPENS && flock(c->fd, LOCK_EX | LOCK_NB) == 0; tries++) {
        int fd;
        if (is_at(c->fd, c->path))
            return true;
        fd = open_file(c->path, c->folder, c->board, &ignored);
        if (fd < 0)
            return false;
        close(c->fd);
        c->fd = fd;
    }
    return false;
}

/* Takes a board, unless another process has it, or waits for it longer. */
static enum found take(struct candidate *c, const char *ports)
{
    const struct mpj_port_id id = {c->board->port, c->board->usb_serial, ports};
    char holder[TEXT_MAX] = "";
    enum found found;

    if (ports != NULL)
        mpj_port_holder(&id, holder, sizeof(holder));
    if (holder[0] != '\0')
        return HELD;
    if (!turn_has_come(&c->turn, c->path))
        return WAITED_FOR;
    if (lock_file(c))
        return TAKEN;
    /* A process that only reads the holder shares the lock, for a moment. */
    found = flock(c->fd, LOCK_SH | LOCK_NB) == 0 ? LOOKED_AT : HELD;
    if (found == LOOKED_AT)
        (void)flock(c->fd, LOCK_UN);
    return found;
}

static int busy(const struct candidate *c, size_t n, enum found found, struct mpj_err *err)
{
    char holder[TEXT_MAX] = "processes that wait for it: --wait S waits in turn";

    if (found != WAITED_FOR)
        read_holder(c->fd, holder, sizeof(holder));
    if (n == 1)
        return mpj_err_set(err, MPJ_E_BUSY, "%s is taken by %s", c->board->id, holder);
    return mpj_err_set(err, MPJ_E_BUSY, "all %zu boards are taken, %s by %s", n, c->board->id,
                       holder);
}

/* Takes one of the candidates; returns which, or an error. */
static int wait_for_one(struct candidate *c, size_t n, const char *ports, unsigned wait_s,
                        struct mpj_err *err)
{
    const struct timespec pause = {0, 1000000000L / TRIES_A_S};
    unsigned tries = 0;
    unsigned looks = 0;

    for (;;) {
        enum found first = HELD;
        bool looked_at = false;
        struct timespec now;

        for (size_t i = 0; i < n; i++) {
            const enum found found = take(&c[i], ports);
            if (found == TAKEN)
                return (int)i;
            looked_at = looked_at || found == LOOKED_AT;
            if (i == 0)
                first = found;
        }
        if (mpj_stop_count() > 0)
            return mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        if (looked_at ? ++looks > LOOKS_MOST : ++tries > wait_s * TRIES_A_S)
            return busy(c, n, first, err);
        clock_gettime(CLOCK_BOOTTIME, &now);
        for (size_t i = 0; i < n && tries == 1 && !looked_at; i++)
            turn_draw(&c[i].turn, c[i].path,
                      (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec);
        nanosleep(&pause, NULL);
    }
}

int mpj_lock_take_any(struct mpj_lock **out, const char *folder,
                      const struct mpj_board *const *board, size_t n, const char *ports,
                      const char *purpose, unsigned wait_s, struct mpj_err *err)
{
    struct mpj_lock *const l = calloc(1, sizeof(*l));
    struct candidate *const c = calloc(n, sizeof(*c));
    size_t opened = 0;
    int found = 0;

    *out = NULL;
    if (l == NULL || c == NULL) {
        free(l);
        free(c);
        return mpj_err_nomem(err);
    }
    for (; found >= 0 && opened < n; opened++) {
        c[opened].board = board[opened];
        c[opened].folder = folder;
        c[opened].turn.fd = -1;
        c[opened].fd = open_file(c[opened].path, folder, board[opened], err);
        if (c[opened].fd < 0) {
            found = err->code;
            break;
        }
    }
    if (found >= 0)
        found = wait_for_one(c, n, ports, wait_s, err);
    for (size_t i = 0; i < opened; i++) {
        turn_drop(&c[i].turn);
        if ((int)i != found)
            close(c[i].fd);
    }
    if (found >= 0) {
        l->fd = c[found].fd;
        say_holder(l->fd, purpose);
        *out = l;
    } else {
        free(l);
    }
    free(c);
    return found;
}

int mpj_lock_take(struct mpj_lock **out, const char *folder, const struct mpj_board *board,
                  const char *purpose, unsigned wait_s, struct mpj_err *err)
{
    const int found = mpj_lock_take_any(out, folder, &board, 1, NULL, purpose, wait_s, err);

    return found < 0 ? found : MPJ_E_OK;
}

void mpj_lock_release(struct mpj_lock *l)
{
    if (l == NULL)
        return;
    if (!l->inherited) {
        (void)!ftruncate(l->fd, 0);
        (void)flock(l->fd, LOCK_UN); /* also of a process that was forked in the meantime */
    }
    close(l->fd);
    free(l);
}

int mpj_lock_descriptor(const struct mpj_lock *l)
{
    return l->fd;
}

bool mpj_lock_inherit(struct mpj_lock **out, const char *folder, const struct mpj_board *board,
                      int fd)
{
    char path[PATH_MAX];

    *out = NULL;
    /* a descriptor of the same file that holds nothing cannot lock what another one holds */
    if (lock_path(path, folder, board) != 0 || !is_at(fd, path) ||
        flock(fd, LOCK_EX | LOCK_NB) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
        (*out = calloc(1, sizeof(**out))) == NULL)
        return false;
    **out = (struct mpj_lock){.fd = fd, .inherited = true};
    return true;
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

/* ---- quarantine --------------------------------------------------------------------- */

#define QUARANTINE ".quarantine" /* after the name of the port; the file has the reason */

/* Builds the path of the file: by what the list says, not by what is attached there now, which may
 * be unplugged, or another board. */
static bool quarantine_path(char out[PATH_MAX], const char *folder, const struct mpj_board *board)
{
    const bool by_port = board->port != NULL;
    char name[PATH_MAX];

    return snprintf(name, sizeof(name), "%s" QUARANTINE,
                    by_port ? board->port : board->usb_serial) < (int)sizeof(name) &&
           join(out, folder, by_port ? "" : "usb-", name);
}

int mpj_quarantine_put(const char *folder, const struct mpj_board *board, const char *reason,
                       struct mpj_err *err)
{
    char path[PATH_MAX];
    int fd;
    bool done;

    if (make_folder(folder, err) != MPJ_E_OK)
        return err->code;
    if (!quarantine_path(path, folder, board))
        return mpj_err_set(err, MPJ_E_USAGE, "the name of the port is too long");
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0 && errno == EEXIST)
        return MPJ_E_OK;
    if (fd < 0)
        return mpj_err_errno(err, "cannot write %s", path);
    done = fchmod(fd, FILE_MODE) == 0 && write(fd, reason, strlen(reason)) >= 0;
    if (!done)
        mpj_err_errno(err, "cannot write %s", path);
    close(fd);
    return done ? MPJ_E_OK : err->code;
}

void mpj_quarantine_get(const char *folder, const struct mpj_board *board, char *out, size_t cap)
{
    char path[PATH_MAX];
    ssize_t n;
    int fd;

    out[0] = '\0';
    if (!quarantine_path(path, folder, board) ||
        (fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) < 0)
        return;
    n = read(fd, out, cap - 1);
    close(fd);
    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    mpj_text_clean(out);
    if (out[0] == '\0')
        snprintf(out, cap, "no reason was given");
}

int mpj_quarantine_lift(const char *folder, const struct mpj_board *board, struct mpj_err *err)
{
    char path[PATH_MAX];

    if (!quarantine_path(path, folder, board))
        return mpj_err_set(err, MPJ_E_USAGE, "the name of the port is too long");
    return unlink(path) == 0 || errno == ENOENT
               ? MPJ_E_OK
               : mpj_err_errno(err, "cannot end the quarantine of %s (%s)", board->id, path);
}
