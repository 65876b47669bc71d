/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of base/file.h that writes. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/undo.h"

#define TRIES 10U /* for a name that is taken */
#define HOPS  40U /* links that lead to links; as many as the kernel follows */

/* ---- a new file -------------------------------------------------------------------- */

/* A file that is on the undo list until it is complete. */
struct replacement {
    char *path;
    FILE *f;
    struct mpj_undo *undo;
};

static int create(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Creates a file under a name that no other process can predict: fills in the eight X's at the
 * end. */
static int create_temp(char *temp)
{
    char *const end = temp + strlen(temp) - 8;
    uint32_t number;
    int fd = -1;

    for (unsigned tries = 0; fd < 0 && tries < TRIES; tries++) {
        if (getrandom(&number, sizeof(number), 0) != sizeof(number))
            return -1;
        snprintf(end, 9, "%08" PRIx32, number);
        fd = create(temp);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

/* Moves a complete file; as rename() and link(). */
typedef int commit_fn(const char *from, const char *to);

static int stay(const char *from, const char *to)
{
    (void)from;
    (void)to;
    return 0;
}

/* Moves a closed file into place, or removes it; false: errno. how NULL: removes it. */
static bool replacement_end(struct replacement *m, commit_fn *how, const char *place)
{
    sigset_t mask;
    bool ok;
    int number;

    mpj_undo_lock(&mask);
    ok = how != NULL && how(m->path, place) == 0;
    number = errno;
    if (!ok || how == link)
        unlink(m->path);
    mpj_undo_drop(m->undo);
    mpj_undo_unlock(&mask);
    free(m->path);
    errno = number;
    return ok;
}

/* Creates a file at the path, or with a suffix next to it; false: errno. */
static bool replacement_begin(struct replacement *m, const char *path, bool temporary)
{
    sigset_t mask;
    int fd;

    if (asprintf(&m->path, "%s%s", path, temporary ? ".XXXXXXXX" : "") < 0) {
        errno = ENOMEM;
        return false;
    }
    mpj_undo_lock(&mask);
    fd = temporary ? create_temp(m->path) : create(m->path);
    m->undo = fd >= 0 ? mpj_undo_add(m->path, -1) : NULL;
    mpj_undo_unlock(&mask);
    m->f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (m->f != NULL)
        return true;
    if (fd >= 0) {
        close(fd);
        replacement_end(m, NULL, NULL);
    } else {
        free(m->path);
    }
    return false;
}

/* ---- its content ------------------------------------------------------------------- */

static int put_into(const char *path, FILE *f, mpj_file_put *put, const void *what,
                    struct mpj_err *err)
{
    int result = put(what, f, err);

    if (result != MPJ_E_OK && ferror(f)) { /* put knows only the stream */
        const struct mpj_err why = *err;
        result = mpj_err_set(err, why.code, "%s: %.300s", path, why.text);
    }
    if (result == MPJ_E_OK && (fflush(f) != 0 || ferror(f)))
        result = mpj_err_errno(err, "cannot write %s", path);
    return result;
}

static int put_and_close(const char *path, FILE *f, mpj_file_put *put, const void *what,
                         struct mpj_err *err)
{
    int result = put_into(path, f, put, what, err);

    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", path);
    return result;
}

/* Writes the new file and renames it into place. name: the path as the user wrote it. */
static int replace(const char *place, const char *name, struct replacement *m, mpj_file_put *put,
                   const void *what, struct mpj_err *err)
{
    struct stat st;
    int result;

    if (stat(place, &st) == 0)
        (void)fchmod(fileno(m->f), st.st_mode & 07777U); /* permissions are kept */
    result = put_and_close(name, m->f, put, what, err);
    if (!replacement_end(m, result == MPJ_E_OK ? rename : NULL, place) && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot replace %s", name);
    return result;
}

int mpj_file_replace(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err)
{
    struct replacement m;

    return replacement_begin(&m, path, true)
               ? replace(path, path, &m, put, what, err)
               : mpj_err_errno(err, "cannot create a file next to %s", path);
}

int mpj_file_new(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err)
{
    struct replacement m;
    int result;

    if (!replacement_begin(&m, path, true))
        return mpj_err_errno(err, "cannot create a file next to %s", path);
    result = put_and_close(path, m.f, put, what, err);
    if (!replacement_end(&m, result == MPJ_E_OK ? link : NULL, path) && result == MPJ_E_OK)
        result = errno == EEXIST ? mpj_err_set(err, MPJ_E_BUSY, "%s exists", path)
                                 : mpj_err_errno(err, "cannot create %s", path);
    return result;
}

/* ---- a path that a user names ------------------------------------------------------ */

/* Returns the folder that a path's last name is in; malloc()ed. */
static char *folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* True if a link is one of /proc, which leads to an open file, whatever name that has now. */
static bool is_open_file(const char *path)
{
    char *const folder = folder_of(path);
    struct statfs fs;
    const bool is = folder != NULL && statfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;

    free(folder);
    return is;
}

/* Returns a link's target, relative to the link's folder; frees path. */
static char *follow(char *path, const char *to)
{
    const char *const slash = strrchr(path, '/');
    const int folder = to[0] != '/' && slash != NULL ? (int)(slash - path) + 1 : 0;
    char *next = NULL;

    if (asprintf(&next, "%.*s%s", folder, path, to) < 0)
        next = NULL;
    free(path);
    return next;
}

/* Returns the path with its links resolved, whether something exists there or not; malloc()ed.
 * NULL: none. */
static char *resolve_links(const char *path)
{
    char to[PATH_MAX];
    char *at = strdup(path);
    ssize_t n;

    for (unsigned hops = 0; at != NULL; hops++) {
        n = readlink(at, to, sizeof(to) - 1);
        if (n < 0 && (errno == EINVAL || errno == ENOENT))
            return at;
        if (n < 0 || hops == HOPS || is_open_file(at))
            break;
        to[n] = '\0';
        at = follow(at, to);
    }
    free(at);
    return NULL;
}

/* Opens a file without a name that takes the content until it is complete: on the same disk, if
 * possible. */
static FILE *open_nameless(const char *path)
{
    char *const folder = folder_of(path);
    const int fd = folder != NULL ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    FILE *f;

    free(folder);
    if (fd < 0)
        return tmpfile();
    if ((f = fdopen(fd, "w+")) == NULL)
        close(fd);
    return f;
}

/* Reserves space for all of the content before anything is overwritten; true where the file system
 * cannot. */
static bool reserve(int fd, off_t size)
{
    struct stat st;
    int number;

    if (size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0)
        return true;
    number = errno;
    if (number != ENOSPC && number != EDQUOT && number != EFBIG)
        return true;
    if (fstat(fd, &st) == 0)
        (void)!ftruncate(fd, st.st_size); /* release what was allocated */
    errno = number;
    return false;
}

/* Copies the whole content; false: errno. */
static bool copy(int from, int to)
{
    char data[65536];
    off_t at = 0;
    ssize_t n;

    while ((n = pread(from, data, sizeof(data), at)) > 0) {
        ssize_t done = 0;
        while (done < n) {
            const ssize_t w = pwrite(to, data + done, (size_t)(n - done), at + done);
            if (w < 0 && errno != EINTR)
                return false;
            done += w > 0 ? w : 0;
        }
        at += n;
    }
    return n == 0 && ftruncate(to, at) == 0;
}

/* Overwrites the file with the whole content. No signal ends the process during that. */
static int overwrite(const char *path, int content, struct mpj_err *err)
{
    int result = MPJ_E_OK;
    struct stat st;
    sigset_t ends;
    sigset_t mask;
    int fd;

    mpj_undo_signals(&ends);
    pthread_sigmask(SIG_BLOCK, &ends, &mask);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        result = mpj_err_errno(err, "cannot create %s", path);
    else if (fstat(content, &st) != 0 || !reserve(fd, st.st_size) || !copy(content, fd))
        result = mpj_err_errno(err, "cannot write %s", path);
    if (fd >= 0 && close(fd) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", path);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return result;
}

/* Writes a file that another file cannot replace. */
static int write_in_place(const char *path, mpj_file_put *put, const void *what,
                          struct mpj_err *err)
{
    struct stat st;
    const bool regular = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    FILE *f = regular && access(path, W_OK) == 0 ? open_nameless(path) : NULL;
    int result;

    if (f != NULL) {
        result = put_into(path, f, put, what, err);
        if (result == MPJ_E_OK)
            result = overwrite(path, fileno(f), err);
        fclose(f);
        return result;
    }
    f = fopen(path, "we");
    return f != NULL ? put_and_close(path, f, put, what, err)
                     : mpj_err_errno(err, "cannot create %s", path);
}

/* True if another file may replace this one. */
static bool replaceable(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0 ? errno == ENOENT : S_ISREG(st.st_mode) && st.st_nlink == 1;
}

int mpj_file_write(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err)
{
    char *const place = resolve_links(path);
    struct replacement m;
    int result;

    if (place != NULL && replaceable(place) && replacement_begin(&m, place, true)) {
        result = replace(place, path, &m, put, what, err);
    } else if (place != NULL &&
               replacement_begin(&m, place, false)) { /* its name takes no suffix */
        result = put_and_close(path, m.f, put, what, err);
        replacement_end(&m, result == MPJ_E_OK ? stay : NULL, NULL);
    } else {
        result = write_in_place(path, put, what, err);
    }
    free(place);
    return result;
}
