/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous I/O: an operation is complete when the call returns, so that none is ever in
 * progress. */
#ifndef MPJ_AIO_H
#define MPJ_AIO_H

#include <bits/sigevent.h>
#include <fcntl.h>
#include <sys/types.h>
#include <time.h>

#define AIO_CANCELED    0
#define AIO_NOTCANCELED 1
#define AIO_ALLDONE     2
#define LIO_READ        0
#define LIO_WRITE       1
#define LIO_NOP         2
#define LIO_WAIT        0
#define LIO_NOWAIT      1

struct aiocb {
    int aio_fildes, aio_lio_opcode, aio_reqprio;
    volatile void *aio_buf;
    size_t aio_nbytes;
    struct sigevent aio_sigevent;
    off_t aio_offset;
    int mpj_error;
    ssize_t mpj_result;
};

#ifdef __cplusplus
extern "C" {
#endif

int aio_read(struct aiocb *request);
int aio_write(struct aiocb *request);
int aio_fsync(int operation, struct aiocb *request);
int aio_error(const struct aiocb *request);
ssize_t aio_return(struct aiocb *request);
int aio_suspend(const struct aiocb *const list[], int count, const struct timespec *limit);
int aio_cancel(int fd, struct aiocb *request);
int lio_listio(int mode, struct aiocb *__restrict const list[__restrict], int count,
               struct sigevent *__restrict event);

#ifdef __cplusplus
}
#endif

#endif
