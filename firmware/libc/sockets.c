/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on the sockets of socketpair() other than read() and write(). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "cancel.h"
#include "files.h"
#include "objects.h"

#define CALLER() __builtin_return_address(0)
#define BUFFER   65536

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Returns the socket's type, or -1 with EBADF or ENOTSOCK. */
static int type_of(int fd)
{
    struct mpj_object *const o = mpj_object_hold(fd, NULL);
    int type = -1;

    if (o != NULL) {
        if (S_ISSOCK(o->ops->mode))
            type = o->ops->stream ? SOCK_STREAM : SOCK_DGRAM;
        mpj_object_drop(o);
        if (type < 0)
            return fail(ENOTSOCK);
    } else if (errno != EBADF) {
        errno = ENOTSOCK;
    }
    return type;
}

static ssize_t move(int fd, enum mpj_way way, void *data, size_t size, int flags,
                    const void *caller)
{
    mpj_cancel_point();
    return type_of(fd) < 0 ? -1 : mpj_object_move(fd, way, data, size, flags, true, caller);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    return move(fd, MPJ_OUT, (void *)(uintptr_t)data, size, flags, CALLER());
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    return move(fd, MPJ_IN, data, size, flags, CALLER());
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to,
               socklen_t length)
{
    (void)length;
    if (to != NULL)
        return type_of(fd) < 0 ? -1 : fail(EISCONN);
    return move(fd, MPJ_OUT, (void *)(uintptr_t)data, size, flags, CALLER());
}

ssize_t recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *from,
                 socklen_t *length)
{
    const ssize_t n = move(fd, MPJ_IN, data, size, flags, CALLER());

    if (n >= 0 && from != NULL)
        *length = 0; /* the socket has no name */
    return n;
}

/* ---- messages of several pieces --------------------------------------------------- */

/* Returns all pieces joined (filled: with their data), to be freed by the caller; NULL with
 * errno. */
static uint8_t *joined(const struct msghdr *m, size_t *size, bool filled)
{
    size_t at = 0;
    uint8_t *all;

    *size = 0;
    if (m->msg_iovlen > IOV_MAX) {
        errno = EMSGSIZE;
        return NULL;
    }
    for (size_t i = 0; i < m->msg_iovlen; i++)
        *size += m->msg_iov[i].iov_len;
    all = malloc(*size + 1U);
    for (size_t i = 0; all != NULL && filled && i < m->msg_iovlen; i++) {
        memcpy(all + at, m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
        at += m->msg_iov[i].iov_len;
    }
    return all;
}

static void release(uint8_t *all)
{
    const int why = errno;

    free(all);
    errno = why;
}

static ssize_t sends(int fd, const struct msghdr *m, int flags, const void *caller)
{
    size_t size;
    uint8_t *all;
    ssize_t n;

    if (m->msg_controllen != 0)
        return fail(EOPNOTSUPP);
    if (m->msg_name != NULL)
        return fail(EISCONN);
    all = joined(m, &size, true);
    if (all == NULL)
        return -1;
    pthread_cleanup_push(free, all);
    n = move(fd, MPJ_OUT, all, size, flags, caller);
    pthread_cleanup_pop(0);
    release(all);
    return n;
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    return type_of(fd) < 0 ? -1 : sends(fd, m, flags, CALLER());
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    const int type = type_of(fd);
    size_t size;
    size_t at = 0;
    uint8_t *all;
    ssize_t n;

    if (type < 0)
        return -1;
    all = joined(m, &size, false);
    if (all == NULL)
        return -1;
    pthread_cleanup_push(free, all);
    n = move(fd, MPJ_IN, all, size, type == SOCK_DGRAM ? flags | MSG_TRUNC : flags, CALLER());
    pthread_cleanup_pop(0);
    m->msg_flags = n > (ssize_t)size ? MSG_TRUNC : 0;
    if (n > (ssize_t)size && (flags & MSG_TRUNC) == 0)
        n = (ssize_t)size;
    m->msg_namelen = 0;
    m->msg_controllen = 0;
    for (size_t i = 0; n > 0 && i < m->msg_iovlen && at < size && at < (size_t)n; i++) {
        const size_t left = ((size_t)n < size ? (size_t)n : size) - at;
        const size_t part = left < m->msg_iov[i].iov_len ? left : m->msg_iov[i].iov_len;

        memcpy(m->msg_iov[i].iov_base, all + at, part);
        at += part;
    }
    release(all);
    return n;
}

/* ---- options --------------------------------------------------------------------- */

int getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
    const int type = type_of(fd);
    int is = 0;

    if (type < 0)
        return -1;
    if (level != SOL_SOCKET)
        return fail(EOPNOTSUPP);
    switch (option) {
    case SO_TYPE:
        is = type;
        break;
    case SO_DOMAIN:
        is = AF_UNIX;
        break;
    case SO_SNDBUF:
    case SO_RCVBUF:
        is = BUFFER;
        break;
    case SO_ERROR:
    case SO_ACCEPTCONN:
        break;
    default:
        return fail(ENOPROTOOPT);
    }
    *length = *length < sizeof(is) ? *length : sizeof(is);
    memcpy(value, &is, *length);
    return 0;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    (void)value;
    if (type_of(fd) < 0)
        return -1;
    if (level != SOL_SOCKET || (option != SO_SNDBUF && option != SO_RCVBUF))
        return fail(ENOPROTOOPT);
    return length < sizeof(int) ? fail(EINVAL) : 0;
}
