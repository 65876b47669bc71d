/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous I/O, which is done at once: the host answers without taking any of the program's
 * time. */
#include <aio.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cancel.h"

static int fail(int error)
{
    errno = error;
    return -1;
}

static void done(struct aiocb *request, ssize_t result)
{
    request->mpj_error = result < 0 ? errno : 0;
    request->mpj_result = result;
    mpj_thread_tell(&request->aio_sigevent, SI_ASYNCIO);
}

static ssize_t reads(const struct aiocb *r)
{
    void *const data = (void *)(uintptr_t)r->aio_buf;
    const ssize_t n = pread(r->aio_fildes, data, r->aio_nbytes, r->aio_offset);

    return n < 0 && errno == ESPIPE ? read(r->aio_fildes, data, r->aio_nbytes) : n;
}

static ssize_t writes(const struct aiocb *r)
{
    const void *const data = (const void *)(uintptr_t)r->aio_buf;
    const int flags = fcntl(r->aio_fildes, F_GETFL);
    ssize_t n;

    if (flags >= 0 && (flags & O_APPEND) != 0)
        return write(r->aio_fildes, data, r->aio_nbytes);
    n = pwrite(r->aio_fildes, data, r->aio_nbytes, r->aio_offset);
    return n < 0 && errno == ESPIPE ? write(r->aio_fildes, data, r->aio_nbytes) : n;
}

/* Returns the error that Linux reports at once, or 0. */
static int check(const struct aiocb *r)
{
    if (r->aio_reqprio < 0)
        return fail(EINVAL);
    return 0;
}

int aio_read(struct aiocb *request)
{
    if (check(request) != 0)
        return -1;
    if (request->aio_offset < 0)
        done(request, fail(EINVAL));
    else
        done(request, reads(request));
    return 0;
}

int aio_write(struct aiocb *request)
{
    if (check(request) != 0)
        return -1;
    if (request->aio_offset < 0)
        done(request, fail(EINVAL));
    else
        done(request, writes(request));
    return 0;
}

int aio_fsync(int operation, struct aiocb *request)
{
    if (operation != O_SYNC)
        return fail(EINVAL);
    if (fcntl(request->aio_fildes, F_GETFL) < 0)
        return -1;
    done(request, fsync(request->aio_fildes));
    return 0;
}

int aio_error(const struct aiocb *request)
{
    return request->mpj_error;
}

ssize_t aio_return(struct aiocb *request)
{
    return request->mpj_result;
}

int aio_suspend(const struct aiocb *const list[], int count, const struct timespec *limit)
{
    mpj_cancel_point();
    (void)list;
    (void)limit;
    return count < 0 ? fail(EINVAL) : 0;
}

int aio_cancel(int fd, struct aiocb *request)
{
    if (fcntl(fd, F_GETFD) < 0)
        return -1;
    if (request != NULL && request->aio_fildes != fd)
        return fail(EINVAL);
    return AIO_ALLDONE;
}

int lio_listio(int mode, struct aiocb *restrict const list[restrict], int count,
               struct sigevent *restrict event)
{
    int bad = 0;

    if ((mode != LIO_WAIT && mode != LIO_NOWAIT) || count < 0)
        return fail(EINVAL);
    for (int i = 0; i < count; i++) {
        struct aiocb *const r = list[i];

        if (r == NULL || r->aio_lio_opcode == LIO_NOP)
            continue;
        if (r->aio_lio_opcode == LIO_READ)
            bad += aio_read(r) != 0 || r->mpj_error != 0;
        else if (r->aio_lio_opcode == LIO_WRITE)
            bad += aio_write(r) != 0 || r->mpj_error != 0;
        else
            bad++;
    }
    if (mode == LIO_NOWAIT && event != NULL)
        mpj_thread_tell(event, SI_ASYNCIO);
    return bad != 0 && mode == LIO_WAIT ? fail(EIO) : 0;
}
