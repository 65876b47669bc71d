/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stop.h"

#define TRIES 10U /* for a name that is taken */

static bool same_file(int fd, const char *path)
{
    struct stat a;
    struct stat b;

    return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* True if fd is a regular file of ours without other names. */
static bool plain(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == geteuid();
}

/* Opens a new file, or the one that a process of ours left or is writing; neither follows a link
 * nor waits for the other end of a pipe. */
static int open_ours(const char *path)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = open(path, flags | O_CREAT | O_EXCL, 0666);

    if (fd >= 0 || errno != EEXIST)
        return fd;
    fd = open(path, flags);
    if (fd >= 0 && plain(fd))
        return fd;
    if (fd >= 0)
        close(fd);
    if (unlink(path) == 0 || errno == ENOENT)
        errno = EEXIST; /* removed: try again */
    return -1;
}

/* Locks a file; false if another process holds the lock. True on a file system without locks. Only
 * a signal that asks the process to end ends the wait. */
static bool lock(int fd, bool wait)
{
    const unsigned stops = mpj_stop_count();

    while (flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR)
            return errno != EWOULDBLOCK;
        if (mpj_stop_count() != stops)
            return false;
    }
    return true;
}

int mpj_file_grow(const char *path, bool wait, struct mpj_err *err)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        const int fd = open_ours(path);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return mpj_err_errno(err, "cannot create %s", path);
        if (!lock(fd, wait)) {
            close(fd);
            break;
        }
        if (same_file(fd, path) && ftruncate(fd, 0) == 0)
            return fd;
        close(fd); /* it was renamed into place before we had the lock */
    }
    return mpj_err_set(err, MPJ_E_BUSY, "%s is being written by another process", path);
}

/* Handles a lock that could not be opened, errno; returns -1. *again: it is gone, or was something
 * else of ours and has been removed. Otherwise an error is set. */
static int no_lock(const char *path, bool *again, struct mpj_err *err)
{
    const int why = errno;
    struct stat st;

    if (lstat(path, &st) != 0) {
        *again = errno == ENOENT;
    } else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && st.st_uid == geteuid()) {
        *again = unlink(path) == 0 || errno == ENOENT;
    } else if (st.st_uid != geteuid()) {
        mpj_err_set(err, MPJ_E_BUSY, "%s belongs to another user and cannot be locked: remove it",
                    path);
        return -1;
    }
    errno = why;
    if (!*again)
        mpj_err_errno(err, "cannot lock %s", path);
    return -1;
}

/* Opens a lock, or creates it. Returns a descriptor, or -1 as no_lock(). */
static int open_lock(const char *path, bool *again, struct mpj_err *err)
{
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    struct stat st;
    int fd = open(path, O_RDWR | flags);

    *again = false;
    if (fd < 0 && errno == EACCES) /* another user's: to be read, which is enough */
        fd = open(path, O_RDONLY | flags);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0666);
        *again = fd < 0 && errno == EEXIST;
        if (fd < 0 && !*again)
            mpj_err_errno(err, "cannot create %s", path);
        return fd;
    }
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = EEXIST;
    }
    return no_lock(path, again, err);
}

int mpj_file_lock(const char *path, bool wait, struct mpj_err *err)
{
    const unsigned stops = mpj_stop_count();

    for (unsigned tries = 0; wait ? mpj_stop_count() == stops : tries < TRIES; tries++) {
        bool again;
        const int fd = open_lock(path, &again, err);
        if (fd < 0 && again)
            continue;
        if (fd < 0)
            return err->code;
        if (!lock(fd, wait)) {
            close(fd);
            break;
        }
        if (same_file(fd, path))
            return fd;
        close(fd); /* its holder has removed it */
    }
    return mpj_err_set(err, MPJ_E_BUSY, "%s is locked by another process", path);
}

/* ---- where a file is -------------------------------------------------------------- */

/* Splits a path into its folder, with links resolved, and the name in it; false: errno. */
static bool split(const char *path, char folder[PATH_MAX], const char **name)
{
    const char *const slash = strrchr(path, '/');
    char *const copy = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool ok = copy != NULL && realpath(copy, folder) != NULL;

    *name = slash != NULL ? slash + 1 : path;
    free(copy);
    return ok;
}

int mpj_file_place(char **out, const char *path, const char *what, struct mpj_err *err)
{
    char real[PATH_MAX];
    char folder[PATH_MAX];
    const char *at = path;
    const char *name;
    struct stat st;

    *out = NULL;
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode))
            return mpj_err_set(err, MPJ_E_USAGE, "cannot write the %s %s: it is not a regular file",
                               what, path);
        if ((at = realpath(path, real)) == NULL || access(path, W_OK) != 0)
            return mpj_err_errno(err, "cannot write the %s %s", what, path);
        if (access(path, R_OK) != 0) /* its content decides whether it may be replaced */
            return mpj_err_errno(err, "cannot read the %s %s", what, path);
    } else if (errno != ENOENT) {
        return mpj_err_errno(err, "cannot create the %s %s", what, path);
    } else if (lstat(path, &st) == 0) {
        return mpj_err_set(err, MPJ_E_USAGE, "cannot write the %s %s: it is a dangling link", what,
                           path);
    }
    if (!split(at, folder, &name) || access(folder, W_OK | X_OK) != 0 ||
        (name[0] == '\0' && access(at, W_OK) != 0))
        return mpj_err_errno(err, "cannot create the %s %s", what, path);
    *out = strdup(at);
    return *out != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

int mpj_file_open(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 || (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
        return fd;
    close(fd);
    errno = ESPIPE;
    return -1;
}

/* Reads until the end, or one byte more than most; NULL: out of memory. */
static char *read_most(FILE *from, size_t most, size_t *len)
{
    size_t room = 4096;
    char *text = malloc(room);

    *len = 0;
    while (text != NULL) {
        char *more;
        *len += fread(text + *len, 1, room - *len, from);
        if (*len < room || room > most)
            return text;
        room = room * 2 <= most ? room * 2 : most + 1;
        more = realloc(text, room);
        if (more == NULL)
            free(text);
        text = more;
    }
    return NULL;
}

char *mpj_file_bytes(const char *path, const char *what, size_t most, size_t *len,
                     struct mpj_err *err)
{
    FILE *const from = fopen(path, "re");
    char *text;
    bool whole = false;

    if (from == NULL) {
        mpj_err_errno(err, "cannot read %s", path);
        return NULL;
    }
    text = read_most(from, most, len);
    if (text == NULL)
        (void)mpj_err_nomem(err);
    else if (*len > most)
        mpj_err_set(err, MPJ_E_USAGE, "%s is too large for a %s: more than %zu MB", path, what,
                    most >> 20);
    else if (ferror(from))
        mpj_err_errno(err, "cannot read %s", path);
    else
        whole = true;
    fclose(from);
    if (whole)
        return text;
    free(text);
    return NULL;
}

FILE *mpj_file_text(const char *path, struct mpj_err *err)
{
    size_t len;
    char *const text = mpj_file_bytes(path, "text", MPJ_FILE_TEXT_MAX, &len, err);
    FILE *f;

    if (text == NULL)
        return NULL;
    f = fmemopen(NULL, len + 1U, "w+");
    if (f == NULL || fwrite(text, 1, len, f) != len || fflush(f) != 0) {
        (void)mpj_err_nomem(err);
        if (f != NULL)
            fclose(f);
        f = NULL;
    } else {
        rewind(f);
    }
    free(text);
    return f;
}

int mpj_file_begins(const char *path, size_t offset, const void *bytes, size_t len)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t head[64];
    struct stat st;
    ssize_t n = 0;
    bool regular;
    int number;

    if (fd < 0)
        return errno == ENOENT ? 1 : -1;
    regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && len <= sizeof(head);
    if (regular)
        n = pread(fd, head, len, (off_t)offset);
    number = errno;
    close(fd);
    errno = number;
    if (n < 0)
        return -1;
    return regular && memcmp(head, bytes, (size_t)n) == 0 ? 1 : 0;
}

static void cut_slashes(char *path)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0';
}

/* True if two paths where nothing exists are one place; "x/" is x, a folder. NULL, after an
 * allocation failed: false. */
static bool same_place(char *a, char *b)
{
    char folder[2][PATH_MAX];
    const char *name[2];

    if (a == NULL || b == NULL)
        return false;
    cut_slashes(a);
    cut_slashes(b);
    return split(a, folder[0], &name[0]) && split(b, folder[1], &name[1]) &&
           strcmp(folder[0], folder[1]) == 0 && strcmp(name[0], name[1]) == 0;
}

bool mpj_file_same(const char *a, const char *b)
{
    char *copy[2];
    struct stat st[2];
    bool same;
    const bool there = stat(a, &st[0]) == 0;

    if (there != (stat(b, &st[1]) == 0))
        return false;
    if (there)
        return S_ISREG(st[0].st_mode) && st[0].st_dev == st[1].st_dev &&
               st[0].st_ino == st[1].st_ino;
    copy[0] = strdup(a);
    copy[1] = strdup(b);
    same = same_place(copy[0], copy[1]);
    free(copy[0]);
    free(copy[1]);
    return same;
}

bool mpj_file_within(const char *path, const char *folder)
{
    char outer[PATH_MAX];
    char inner[PATH_MAX];
    const char *name;
    size_t n;

    if (realpath(folder, outer) == NULL ||
        (realpath(path, inner) == NULL && !split(path, inner, &name)))
        return false;
    n = strlen(outer);
    return strncmp(inner, outer, n) == 0 && (inner[n] == '/' || inner[n] == '\0' || n == 1);
}
