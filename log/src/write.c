/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mpj_log {
    int fd;
    off_t whole; /* end of the last whole frame */
    char *path;
    uint8_t wire[MPJ_FRAME_WIRE_MAX];
};

/* All or an error; on an error the file ends where it ended before. */
static int append(struct mpj_log *log, const uint8_t *p, size_t n, struct mpj_err *err)
{
    size_t done = 0;

    while (done < n) {
        const ssize_t got = write(log->fd, p + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            mpj_err_errno(err, "cannot write the log %s", log->path);
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

int mpj_log_create(struct mpj_log **out, const char *path, struct mpj_err *err)
{
    uint8_t head[MPJ_LOG_HEADER_SIZE] = MPJ_LOG_MAGIC;
    struct mpj_log *log = calloc(1, sizeof(*log));

    *out = NULL;
    if (log == NULL || (log->path = strdup(path)) == NULL) {
        free(log);
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log->fd < 0) {
        mpj_err_errno(err, "cannot create the log %s", path);
        goto error;
    }
    head[8] = MPJ_LOG_VERSION;
    head[10] = MPJ_LOG_HEADER_SIZE;
    if (append(log, head, sizeof(head), err) != MPJ_E_OK)
        goto error;
    *out = log;
    return MPJ_E_OK;

error:
    mpj_log_abandon(log);
    return err->code;
}

int mpj_log_frame(struct mpj_log *log, uint8_t type, uint16_t seq, const void *payload, size_t len,
                  struct mpj_err *err)
{
    const size_t n = mpj_frame_encode(type, seq, payload, len, log->wire, sizeof(log->wire));

    if (n == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "log frame of %zu bytes is too long", len);
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

int mpj_log_close(struct mpj_log *log, int code, const char *text, struct mpj_err *err)
{
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
    mpj_log_abandon(log);
    return result;
}

void mpj_log_abandon(struct mpj_log *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
}
