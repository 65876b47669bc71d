/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"

#define READER_MS 2000 /* for the reader of a pipe that the log is to be written to */
#define LOOK_MS   20

struct mpj_log {
    int fd;      /* locked: one process at a time records into a file */
    off_t whole; /* end of the last whole frame */
    char *path;
    char *temp;    /* its path until it is renamed to path; NULL: it has been */
    bool recorded; /* it has a DATA frame */
    bool cut;      /* a frame could not be written */
    uint8_t wire[MPJ_FRAME_WIRE_MAX];
};

static void release(struct mpj_log *log)
{
    if (log->fd >= 0)
        close(log->fd);
    free(log->temp);
    free(log->path);
    free(log);
}

/* Appends all bytes, or returns an error and truncates the file to its old end. */
static int append(struct mpj_log *log, const uint8_t *p, size_t n, struct mpj_err *err)
{
    size_t done = 0;

    while (done < n) {
        const ssize_t got = write(log->fd, p + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            mpj_err_errno(err, "cannot write the log %s", log->path);
            log->cut = true;
            if (ftruncate(log->fd, log->whole) != 0)
                return err->code; /* half a frame stays: readers drop it */
            lseek(log->fd, log->whole, SEEK_SET);
            return err->code;
        }
        done += (size_t)got;
    }
    log->whole += (off_t)n;
    return MPJ_E_OK;
}

/* ---- the place ---------------------------------------------------------------- */

static int in_use(const char *path, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_IO, "cannot create the log %s: another process is writing it",
                       path);
}

/* Opens the older file, locked against two processes that replace it; -1: there is none, or none to
 * lock. */
static int lock_older(const char *path, struct mpj_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    err->code = MPJ_E_OK;
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return fd;
    close(fd);
    in_use(path, err);
    return -1;
}

static int open_temp(struct mpj_log *log, struct mpj_err *err)
{
    log->fd = mpj_file_grow(log->temp, false, err);
    if (log->fd >= 0)
        return MPJ_E_OK;
    return err->code == MPJ_E_BUSY ? in_use(log->path, err)
                                   : mpj_err_errno(err, "cannot create the log %s", log->path);
}

/* True for files that are written as they are: devices, pipes and files without a name; an empty
 * file, where its folder accepts no other. */
static bool is_in_place(const char *path)
{
    char *place = NULL;
    struct mpj_err err;
    struct stat st;

    if (stat(path, &st) != 0)
        return false;
    if (!S_ISREG(st.st_mode) || st.st_nlink == 0)
        return true;
    if (st.st_size > 0 || access(path, R_OK | W_OK) != 0)
        return false;
    if (mpj_file_place(&place, path, "log", &err) != MPJ_E_OK)
        return err.code == MPJ_E_IO;
    free(place);
    return false;
}

/* Finds the path that the log replaces, malloc()ed into *place; NULL: the log is written as it
 * is. */
static int find_place(char **place, const char *path, struct mpj_err *err)
{
    int ours;

    *place = NULL;
    if (is_in_place(path))
        return MPJ_E_OK;
    if (mpj_file_place(place, path, "log", err) != MPJ_E_OK)
        return err->code;
    ours = mpj_file_begins(path, 0, MPJ_LOG_MAGIC, sizeof(MPJ_LOG_MAGIC) - 1U);
    if (ours > 0)
        return MPJ_E_OK;
    if (ours < 0)
        mpj_err_errno(err, "cannot read the log %s", path);
    free(*place);
    *place = NULL;
    if (ours < 0)
        return err->code;
    return mpj_err_set(
        err, MPJ_E_USAGE,
        "%s is not a raw log of mpjoule: it is not overwritten. Remove it, or name another file",
        path);
}

int mpj_log_check(const char *path, struct mpj_err *err)
{
    char *place;
    const int result = find_place(&place, path, err);

    free(place);
    return result;
}

/* Opens a file that is written as it is. Waits a moment for a pipe's reader; one that does not come
 * must not block us. */
static int open_unblocked(const char *path)
{
    const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK;
    int fd = open(path, flags, 0666);

    for (unsigned ms = 0; fd < 0 && errno == ENXIO && ms < READER_MS && mpj_stop_count() == 0;
         ms += LOOK_MS) {
        (void)poll(NULL, 0, LOOK_MS);
        fd = open(path, flags, 0666);
    }
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static int open_in_place(struct mpj_log *log, struct mpj_err *err)
{
    struct stat st;

    log->fd = open_unblocked(log->path);
    if (log->fd < 0 && errno == ENXIO)
        return mpj_err_set(err, MPJ_E_IO, "cannot create the log %s: it is a pipe without a reader",
                           log->path);
    if (log->fd < 0 || fstat(log->fd, &st) != 0)
        return mpj_err_errno(err, "cannot create the log %s", log->path);
    if (!S_ISREG(st.st_mode))
        return MPJ_E_OK;
    if (flock(log->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return in_use(log->path, err);
    if (ftruncate(log->fd, 0) != 0)
        return mpj_err_errno(err, "cannot create the log %s", log->path);
    return MPJ_E_OK;
}

static int open_new(struct mpj_log *log, struct mpj_err *err)
{
    struct stat st;
    char *place;
    int older;

    if (find_place(&place, log->path, err) != MPJ_E_OK)
        return err->code;
    if (place == NULL)
        return open_in_place(log, err);
    free(log->path);
    log->path = place;
    if (asprintf(&log->temp, "%s.new", log->path) < 0) {
        log->temp = NULL;
        return mpj_err_nomem(err);
    }
    older = lock_older(log->path, err);
    if (err->code != MPJ_E_OK)
        return err->code;
    if (older >= 0)
        close(older);
    if (open_temp(log, err) == MPJ_E_OK && stat(log->path, &st) == 0)
        (void)fchmod(log->fd, st.st_mode & 0777U); /* permissions are kept */
    return err->code;
}

int mpj_log_create(struct mpj_log **out, const char *path, struct mpj_err *err)
{
    uint8_t head[MPJ_LOG_HEADER_SIZE] = MPJ_LOG_MAGIC;
    struct mpj_log *log = calloc(1, sizeof(*log));

    *out = NULL;
    if (log == NULL || (log->path = strdup(path)) == NULL) {
        free(log);
        return mpj_err_nomem(err);
    }
    log->fd = -1;
    head[8] = MPJ_LOG_VERSION;
    head[10] = MPJ_LOG_HEADER_SIZE;
    if (open_new(log, err) == MPJ_E_OK && append(log, head, sizeof(head), err) == MPJ_E_OK) {
        *out = log;
        return MPJ_E_OK;
    }
    if (log->fd >= 0 && log->temp != NULL)
        unlink(log->temp);
    release(log);
    return err->code;
}

const char *mpj_log_at(const struct mpj_log *log)
{
    return log->temp != NULL ? log->temp : log->path;
}

int mpj_log_place(struct mpj_log *log, struct mpj_err *err)
{
    int older;

    if (log->temp == NULL)
        return MPJ_E_OK;
    older = lock_older(log->path, err);
    if (err->code != MPJ_E_OK)
        return err->code;
    if (rename(log->temp, log->path) != 0) {
        mpj_err_errno(err, "cannot replace the log %s", log->path);
    } else {
        free(log->temp);
        log->temp = NULL;
    }
    if (older >= 0)
        close(older);
    return err->code;
}

/* Writes the content of an open file. */
static int put_copy(const void *what, FILE *f, struct mpj_err *err)
{
    const int fd = *(const int *)what;
    uint8_t data[4096];
    off_t at = 0;
    ssize_t n;

    while ((n = pread(fd, data, sizeof(data), at)) > 0) {
        if (fwrite(data, 1, (size_t)n, f) != (size_t)n)
            break;
        at += n;
    }
    return n == 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot write the recording");
}

/* Renames an open file. The place of a log that is named by a link may be in another file system:
 * then it is copied, and removed when the copy is whole. */
static bool move(int fd, const char *from, const char *to)
{
    struct mpj_err ignored;

    if (rename(from, to) == 0)
        return true;
    return errno == EXDEV && mpj_file_replace(to, put_copy, &fd, &ignored) == MPJ_E_OK &&
           unlink(from) == 0;
}

/* True if a failed attempt may be kept there: it replaces nothing, or a log. */
static bool may_keep(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0
               ? errno == ENOENT
               : S_ISREG(st.st_mode) &&
                     mpj_file_begins(path, 0, MPJ_LOG_MAGIC, sizeof(MPJ_LOG_MAGIC) - 1U) > 0;
}

/* True if the file has a DATA frame. */
static bool is_recorded(const char *path)
{
    struct mpj_log_reader *r = NULL;
    struct mpj_frame f;
    struct mpj_err err;
    int result;

    if (mpj_log_open(&r, path, &err) != MPJ_E_OK)
        return false;
    while ((result = mpj_log_next(r, &f, NULL, &err)) == 1 && f.type != MPJ_FRAME_DATA)
        ;
    mpj_log_reader_free(r);
    return result == 1;
}

int mpj_log_rescue(const char *path, const char *failed, struct mpj_err *err)
{
    struct stat st;
    char *temp;
    char *place;
    int fd = -1;
    int result = find_place(&place, path, err);

    if (result != MPJ_E_OK || place == NULL)
        return result;
    if (asprintf(&temp, "%s.new", place) < 0)
        temp = NULL;
    if (!may_keep(failed))
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "%s is where a failed attempt would be kept, and not a log: remove it",
                             failed);
    else if (temp != NULL)
        fd = open(temp, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
        st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_recorded(temp) &&
        !move(fd, temp, failed))
        result =
            mpj_err_errno(err, "cannot keep %s, of a run that was killed, as %s", temp, failed);
    if (fd >= 0)
        close(fd);
    free(temp);
    free(place);
    return result;
}

bool mpj_log_fail(struct mpj_log *log, const char *failed)
{
    bool kept = false;

    if (log != NULL && log->temp != NULL && log->recorded && failed != NULL) {
        kept = may_keep(failed) && move(log->fd, log->temp, failed);
        free(log->temp); /* PATH.new stays, if something has come there meanwhile */
        log->temp = NULL;
    }
    mpj_log_abandon(log);
    return kept;
}

int mpj_log_frame(struct mpj_log *log, uint8_t type, uint16_t seq, const void *payload, size_t len,
                  struct mpj_err *err)
{
    const size_t n = mpj_frame_encode(type, seq, payload, len, log->wire, sizeof(log->wire));

    if (n == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "log frame of %zu bytes is too long", len);
    log->recorded = log->recorded || type == MPJ_FRAME_DATA;
    return append(log, log->wire, n, err);
}

int mpj_log_meta(struct mpj_log *log, const char *key, const char *value, struct mpj_err *err)
{
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    size_t len = strlen(value);

    mpj_writer_init(&w, payload, sizeof(payload));
    mpj_put_bytes(&w, key, strlen(key));
    if (!w.full && len + 2U > (size_t)(w.end - w.at))
        len =
            (size_t)(w.end - w.at) - 2U; /* a very long value is a label cut short, not a failure */
    mpj_put_bytes(&w, value, len);
    return mpj_log_frame(log, MPJ_LOG_META, 0, payload, (size_t)(w.at - payload), err);
}

int mpj_log_bytes(struct mpj_log *log, uint8_t type, const void *data, size_t len,
                  struct mpj_err *err)
{
    const uint8_t *p = data;

    while (len > 0) {
        const size_t n = len < MPJ_FRAME_PAYLOAD_MAX ? len : MPJ_FRAME_PAYLOAD_MAX;
        if (mpj_log_frame(log, type, 0, p, n, err) != MPJ_E_OK)
            return err->code;
        p += n;
        len -= n;
    }
    return MPJ_E_OK;
}

/* ---- its end ------------------------------------------------------------------ */

/* Gives a file without a name one: its own, if that is free. */
static int restore(const struct mpj_log *log, struct mpj_err *err)
{
    char *other = NULL;
    const char *at = log->path;
    struct mpj_err why;
    int result = mpj_file_new(at, put_copy, &log->fd, &why);

    if (result == MPJ_E_BUSY && asprintf(&other, "%s.removed", log->path) >= 0) {
        at = other;
        result = mpj_file_new(at, put_copy, &log->fd, &why);
    }
    if (result == MPJ_E_OK)
        mpj_err_set(err, MPJ_E_IO, "%s was removed during the recording, which is now in %s",
                    log->path, at);
    else
        mpj_err_set(err, MPJ_E_IO, "%s was removed during the recording, which is lost: %.200s",
                    log->path, why.text);
    free(other);
    return err->code;
}

/* Checks that the file still has its name; otherwise reports what happened to it. A removed file
 * that is not committed yet is created again under its name. */
static int check_name(const struct mpj_log *log, struct mpj_err *err)
{
    const char *const name = mpj_log_at(log);
    char link[32];
    char at[PATH_MAX];
    struct stat own;
    struct stat there;
    ssize_t n;

    if (fstat(log->fd, &own) != 0 || !S_ISREG(own.st_mode))
        return MPJ_E_OK;
    if (stat(name, &there) == 0 && there.st_dev == own.st_dev && there.st_ino == own.st_ino)
        return MPJ_E_OK;
    if (own.st_nlink == 0 && log->temp != NULL &&
        mpj_file_new(name, put_copy, &log->fd, err) == MPJ_E_OK)
        return MPJ_E_OK;
    if (own.st_nlink == 0)
        return restore(log, err);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", log->fd);
    n = readlink(link, at, sizeof(at));
    return mpj_err_set(err, MPJ_E_IO, "%s was renamed during the recording, which is in %.*s", name,
                       n > 0 ? (int)n : 1, n > 0 ? at : "?");
}

int mpj_log_end(struct mpj_log *log, int code, const char *text, struct mpj_err *err)
{
    const bool cut = log->cut;
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    int result;

    mpj_writer_init(&w, payload, sizeof(payload));
    mpj_put_signed(&w, code);
    mpj_put_bytes(&w, text, strlen(text) < 900U ? strlen(text) : 900U);
    result = mpj_log_frame(log, MPJ_LOG_CLOSE, 0, payload, (size_t)(w.at - payload), err);
    /* a socket or pipe given as the log cannot be synced: no failure */
    if (result == MPJ_E_OK && fsync(log->fd) != 0 && errno != EINVAL && errno != EROFS)
        result = mpj_err_errno(err, "cannot write the log %s", log->path);
    if (result == MPJ_E_OK)
        result = check_name(log, err);
    if (result == MPJ_E_OK && cut)
        result = mpj_err_set(err, MPJ_E_IO, "cannot write the log %s: it is incomplete", log->path);
    return result;
}

int mpj_log_close(struct mpj_log *log, int code, const char *text, struct mpj_err *err)
{
    struct mpj_err late;
    int result = mpj_log_end(log, code, text, err);

    if (mpj_log_place(log, &late) != MPJ_E_OK && result == MPJ_E_OK) {
        *err = late;
        result = late.code;
    }
    mpj_log_abandon(log);
    return result;
}

void mpj_log_abandon(struct mpj_log *log)
{
    if (log == NULL)
        return;
    if (log->temp != NULL)
        unlink(log->temp);
    release(log);
}
