/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pipes, and pairs of connected sockets: one ring of bytes for each direction. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "objects.h"

#define RING  65536U             /* bytes that fit, as on Linux */
#define SHARE ((size_t)PIPE_BUF) /* largest amount moved with the scheduler's lock held */

struct ring {
    uint8_t *data;
    size_t first, used;
    bool no_writer, no_reader; /* all descriptors of that side are closed */
};

struct channel;

/* One end: the object of a descriptor. */
struct end {
    struct mpj_object object; /* must be first */
    struct channel *channel;
    struct ring *ring[2]; /* to read from and to write to; NULL: the end cannot */
    struct end *other;
};

struct channel {
    struct ring ring[2];
    struct end end[2];
    unsigned ends;
    bool sequence; /* SOCK_SEQPACKET */
};

static struct end *end_of(struct mpj_object *o)
{
    return (struct end *)o;
}

/* ---- the ring -------------------------------------------------------------------- */

/* Returns the index `at` bytes after the first one. at: bytes to skip, or used bytes for the next
 * free index. */
static size_t place(const struct ring *r, size_t at)
{
    return (r->first + at) % RING;
}

static void put(struct ring *r, const void *data, size_t len)
{
    const size_t to = place(r, r->used);
    const size_t n = len < RING - to ? len : RING - to;

    memcpy(r->data + to, data, n);
    memcpy(r->data, (const uint8_t *)data + n, len - n);
    r->used += len;
}

static void peek(const struct ring *r, size_t at, void *data, size_t len)
{
    const size_t from = place(r, at);
    const size_t n = len < RING - from ? len : RING - from;

    memcpy(data, r->data + from, n);
    memcpy((uint8_t *)data + n, r->data, len - n);
}

static void drop(struct ring *r, size_t len)
{
    r->first = place(r, len);
    r->used -= len;
}

/* ---- bytes ----------------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Wakes threads after a read. Those that wait for what is left come after the caller. */
static void has_read(struct end *e, const struct ring *r)
{
    mpj_object_changed_locked(&e->other->object, MPJ_OUT);
    if (r->used != 0)
        mpj_object_changed_locked(&e->object, MPJ_IN);
}

static void has_written(struct end *e, const struct ring *r)
{
    mpj_object_changed_locked(&e->other->object, MPJ_IN);
    if (r->used != RING)
        mpj_object_changed_locked(&e->object, MPJ_OUT);
}

static int read_bytes(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct end *const e = end_of(o);
    struct ring *const r = e->ring[MPJ_IN];
    const size_t n = least(least(len, SHARE), r->used);

    if (len == 0)
        return 0;
    if (n == 0)
        return r->no_writer || r->no_reader ? 0 : -EAGAIN;
    peek(r, 0, data, n);
    if ((flags & MSG_PEEK) == 0) {
        drop(r, n);
        has_read(e, r);
    }
    return (int)n;
}

/* Writes bytes; up to PIPE_BUF of them in one piece. */
static int write_bytes(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct end *const e = end_of(o);
    struct ring *const r = e->ring[MPJ_OUT];
    const size_t room = RING - r->used;
    const size_t n = least(least(len, SHARE), room);

    (void)flags;
    if (r->no_reader || r->no_writer)
        return -EPIPE;
    if (n == 0 || (len <= SHARE && n < len))
        return len == 0 ? 0 : -EAGAIN;
    put(r, data, n);
    has_written(e, r);
    return (int)n;
}

/* ---- messages: their lengths are in the ring, too -------------------------------- */

static int read_message(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct end *const e = end_of(o);
    struct ring *const r = e->ring[MPJ_IN];
    uint32_t all;
    size_t n;

    if (r->used == 0)
        return r->no_writer || r->no_reader ? 0 : -EAGAIN;
    peek(r, 0, &all, sizeof(all));
    n = least(len, all);
    peek(r, sizeof(all), data, n);
    if ((flags & MSG_PEEK) == 0) {
        drop(r, sizeof(all) + all);
        has_read(e, r);
    }
    return (int)((flags & MSG_TRUNC) != 0 ? all : n);
}

static int write_message(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct end *const e = end_of(o);
    struct ring *const r = e->ring[MPJ_OUT];
    const uint32_t all = (uint32_t)len;

    (void)flags;
    if (r->no_reader || r->no_writer)
        return -EPIPE;
    if (len > RING - sizeof(all))
        return -EMSGSIZE;
    if (len + sizeof(all) > RING - r->used)
        return -EAGAIN;
    put(r, &all, sizeof(all));
    put(r, data, len);
    has_written(e, r);
    return (int)len;
}

/* ---- both ------------------------------------------------------------------------ */

static short ready(struct mpj_object *o)
{
    const struct end *const e = end_of(o);
    const struct ring *const in = e->ring[MPJ_IN];
    const struct ring *const out = e->ring[MPJ_OUT];
    const bool socket = in != NULL && out != NULL;
    int now = 0;

    if (in != NULL && (in->used != 0 || (socket && in->no_writer)))
        now |= POLLIN | POLLRDNORM;
    if (in != NULL && in->no_writer)
        now |= socket ? POLLRDHUP : POLLHUP;
    if (out != NULL && RING - out->used >= SHARE)
        now |= POLLOUT | POLLWRNORM;
    if (out != NULL && out->no_reader)
        now |= socket ? 0 : POLLERR;
    if (socket && in->no_writer && (out->no_writer || out->no_reader))
        now |= POLLHUP;
    return (short)now;
}

static size_t available(const struct mpj_object *o)
{
    const struct ring *const r = ((const struct end *)o)->ring[MPJ_IN];

    return r != NULL ? r->used : 0;
}

/* Returns the bytes of the next datagram; of SOCK_SEQPACKET those of all messages. */
static size_t available_messages(const struct mpj_object *o)
{
    const struct end *const e = (const struct end *)o;
    const struct ring *const r = e->ring[MPJ_IN];
    size_t sum = 0;
    uint32_t all;

    for (size_t at = 0; at < r->used; at += sizeof(all) + all) {
        peek(r, at, &all, sizeof(all));
        sum += all;
        if (!e->channel->sequence)
            break;
    }
    return sum;
}

static void leave(struct end *e, bool reads, bool writes)
{
    if (reads && e->ring[MPJ_IN] != NULL)
        e->ring[MPJ_IN]->no_reader = true;
    if (writes && e->ring[MPJ_OUT] != NULL)
        e->ring[MPJ_OUT]->no_writer = true;
    mpj_object_ended_locked(&e->other->object);
    mpj_object_ended_locked(&e->object);
}

static void gone(struct mpj_object *o)
{
    struct end *const e = end_of(o);
    hal_irq_state s = mpj_sched_lock();
    bool last;

    leave(e, true, true);
    last = --e->channel->ends == 0;
    mpj_sched_unlock(s);
    if (last) {
        free(e->channel->ring[0].data);
        free(e->channel);
    }
}

static const struct mpj_object_ops pipe_ops = {.mode = S_IFIFO | S_IRUSR | S_IWUSR,
                                               .wait = MPJ_WAIT_PIPE,
                                               .stream = true,
                                               .move = {read_bytes, write_bytes},
                                               .ready = ready,
                                               .available = available,
                                               .gone = gone};
static const struct mpj_object_ops stream_ops = {.mode = S_IFSOCK | S_IRWXU | S_IRWXG | S_IRWXO,
                                                 .wait = MPJ_WAIT_PIPE,
                                                 .stream = true,
                                                 .move = {read_bytes, write_bytes},
                                                 .ready = ready,
                                                 .available = available,
                                                 .gone = gone};
static const struct mpj_object_ops message_ops = {.mode = S_IFSOCK | S_IRWXU | S_IRWXG | S_IRWXO,
                                                  .wait = MPJ_WAIT_PIPE,
                                                  .move = {read_message, write_message},
                                                  .ready = ready,
                                                  .available = available_messages,
                                                  .gone = gone};

/* ---- creation --------------------------------------------------------------------- */

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct channel *make(unsigned rings)
{
    struct channel *const c = calloc(1, sizeof(*c));
    uint8_t *const data = malloc((size_t)rings * RING);

    if (c == NULL || data == NULL) {
        free(c);
        free(data);
        return NULL;
    }
    c->ends = 2;
    for (unsigned i = 0; i < 2U; i++) {
        c->ring[i].data = i < rings ? data + (size_t)i * RING : NULL;
        c->end[i].channel = c;
        c->end[i].other = &c->end[1U - i];
    }
    return c;
}

/* Opens descriptors for both ends; frees everything if that fails. */
static int open_ends(struct channel *c, int fd[2], const struct mpj_object_ops *ops,
                     const int flags[2])
{
    int got[2];

    got[0] = mpj_object_open(&c->end[0].object, ops, flags[0]);
    got[1] = got[0] < 0 ? -1 : mpj_object_open(&c->end[1].object, ops, flags[1]);
    if (got[1] < 0) {
        const int why = errno;

        c->end[1].object = (struct mpj_object){.ops = ops, .users = 1};
        if (got[0] < 0)
            mpj_object_drop(&c->end[0].object);
        else
            (void)_close(got[0]);
        mpj_object_drop(&c->end[1].object);
        return fail(why);
    }
    fd[0] = got[0];
    fd[1] = got[1];
    return 0;
}

int pipe2(int fd[2], int flags)
{
    struct channel *c;

    if ((flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT)) != 0)
        return fail(EINVAL);
    if (!mpj_file_memory(fd, 2U * sizeof(*fd), true))
        return -1;
    c = make(1);
    if (c == NULL)
        return fail(ENOMEM);
    c->end[0].ring[MPJ_IN] = &c->ring[0];
    c->end[1].ring[MPJ_OUT] = &c->ring[0];
    flags &= O_CLOEXEC | O_NONBLOCK;
    return open_ends(c, fd, &pipe_ops, (const int[]){flags | O_RDONLY, flags | O_WRONLY});
}

int pipe(int fd[2])
{
    return pipe2(fd, 0);
}

int socketpair(int domain, int type, int protocol, int fd[2])
{
    const int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int flags = O_RDWR | ((type & SOCK_CLOEXEC) != 0 ? O_CLOEXEC : 0) |
                      ((type & SOCK_NONBLOCK) != 0 ? O_NONBLOCK : 0);
    struct channel *c;

    if (domain != AF_UNIX)
        return fail(domain == AF_INET || domain == AF_INET6 ? EOPNOTSUPP : EAFNOSUPPORT);
    if (kind != SOCK_STREAM && kind != SOCK_DGRAM && kind != SOCK_SEQPACKET)
        return fail(EPROTONOSUPPORT);
    if (protocol != 0 && protocol != PF_UNIX)
        return fail(EPROTONOSUPPORT);
    c = make(2);
    if (c == NULL)
        return fail(ENOMEM);
    c->sequence = kind == SOCK_SEQPACKET;
    for (unsigned i = 0; i < 2U; i++) {
        c->end[i].ring[MPJ_IN] = &c->ring[i];
        c->end[i].ring[MPJ_OUT] = &c->ring[1U - i];
    }
    return open_ends(c, fd, kind == SOCK_STREAM ? &stream_ops : &message_ops,
                     (const int[]){flags, flags});
}

int shutdown(int fd, int how)
{
    struct mpj_object *const o = mpj_object_hold(fd, NULL);
    const bool socket = o != NULL && (o->ops == &stream_ops || o->ops == &message_ops);
    hal_irq_state s;

    if (o == NULL)
        return errno == EBADF ? -1 : fail(ENOTSOCK);
    if (socket && (how == SHUT_RD || how == SHUT_WR || how == SHUT_RDWR)) {
        s = mpj_sched_lock();
        leave(end_of(o), how != SHUT_WR, how != SHUT_RD);
        mpj_sched_unlock(s);
    }
    mpj_object_drop(o);
    if (!socket)
        return fail(ENOTSOCK);
    return how == SHUT_RD || how == SHUT_WR || how == SHUT_RDWR ? 0 : fail(EINVAL);
}
