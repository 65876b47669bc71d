/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of objects in memory: threads read, write and wait. */
#include "objects.h"

#include <_newlib_version.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cancel.h"
#include "files.h"
#include "hal_sys.h"
#include "newlib_io.h"
#include "rlock.h"

/* Key of the threads in calls; distinguishes them from those that wait for other things of the same
 * address. */
#define KEY(o, way) ((uintptr_t)(o) + 1U + (unsigned)(way))

static int fail(int error)
{
    errno = error;
    return -1;
}

int mpj_object_open(struct mpj_object *o, const struct mpj_object_ops *ops, int flags)
{
    *o = (struct mpj_object){.ops = ops, .users = 1};
    return mpj_file_open_own(MPJ_OBJECT + (int)(uintptr_t)o, flags);
}

struct mpj_object *mpj_object_hold(int fd, int *flags)
{
    struct mpj_object *o = NULL;
    int host;

    mpj_rlock_take(&mpj_io_lock, __builtin_return_address(0));
    host = mpj_file_host(fd);
    if (host >= 0 && (o = mpj_object_of(host)) == NULL)
        errno = EINVAL;
    if (o != NULL) {
        (void)__atomic_add_fetch(&o->users, 1U, __ATOMIC_RELAXED);
        if (flags != NULL)
            *flags = fcntl(fd, F_GETFL);
    }
    mpj_rlock_give(&mpj_io_lock);
    return o;
}

void mpj_object_drop(struct mpj_object *o)
{
    if (__atomic_sub_fetch(&o->users, 1U, __ATOMIC_ACQ_REL) != 0)
        return;
    if (mpj_epoll_forget != NULL)
        mpj_epoll_forget(o);
    o->ops->gone(o);
}

/* ---- waking ---------------------------------------------------------------------- */

static bool wake_one(struct mpj_object *o, enum mpj_way way)
{
    struct mpj_waitq_node *const n = mpj_waitq_take(mpj_sched_waitq(), KEY(o, way));

    if (n != NULL)
        mpj_sched_wake_locked(mpj_thread_of_wait(n), 0);
    return n != NULL;
}

bool mpj_object_waited(const struct mpj_object *o, enum mpj_way way)
{
    return mpj_waitq_has(mpj_sched_waitq(), KEY(o, way));
}

static void wake_watchers(const struct mpj_object *o)
{
    for (const struct mpj_watch *w = o->watches; w != NULL; w = w->next) {
        if (w->thread->state == MPJ_THREAD_BLOCKED)
            mpj_sched_wake_locked(w->thread, 0);
    }
}

void mpj_object_changed_locked(struct mpj_object *o, enum mpj_way way)
{
    (void)wake_one(o, way);
    wake_watchers(o);
}

void mpj_object_ended_locked(struct mpj_object *o)
{
    while (wake_one(o, MPJ_IN) || wake_one(o, MPJ_OUT))
        ;
    wake_watchers(o);
}

/* ---- transfers ------------------------------------------------------------------- */

struct transfer {
    struct mpj_object *o;
    enum mpj_way way;
    uint8_t *data;
    size_t len, done;
    int flags;
    bool waits;  /* may wait: not a descriptor of O_NONBLOCK */
    bool cancel; /* and may be cancelled then */
    bool no_reader;
    uint64_t deadline;
    const void *caller;
    uint32_t broken; /* number of handlers, before the call, that end a wait */
    /* For streams: */
    bool parked;
    uint32_t depth; /* depth of the streams' lock */
    uint8_t *copy;  /* data to write, since other threads may use the stream's buffer */
};

/* Waits for the object once. Lock held; returns without it. Returns 0: try again; or -EINTR,
 * -ECANCELED, -ETIMEDOUT. */
static int wait_locked(const struct transfer *t, hal_irq_state s)
{
    const struct mpj_wait_info info = {
        .kind = t->o->ops->wait, .object = t->o, .caller = t->caller};
    struct mpj_thread *const self = mpj_thread_self();
    struct mpj_waitq *const q = mpj_sched_waitq();
    const uint64_t own = t->o->ops->due != NULL ? t->o->ops->due(t->o) : MPJ_NEVER;
    const uint64_t due = own < t->deadline ? own : t->deadline;
    int r;

    (void)s;
    mpj_waitq_announce(q, KEY(t->o, t->way));
    mpj_waitq_add(q, &self->wait, KEY(t->o, t->way), self->run.priority);
    r = mpj_sched_block_locked(&info, due, t->cancel);
    hal_irq_restore(s);
    if (r == -EINTR)
        mpj_thread_poll();
    if (r == -ETIMEDOUT && due == t->deadline)
        return r;
    if (r == -ECANCELED || (r == -EINTR && self->signals.broken != t->broken))
        return r;
    return 0;
}

/* Returns the first block of the C library's streams. Since newlib 4.3 they are no longer in a
 * thread's structure. */
static const struct _glue *streams(void)
{
#if __NEWLIB__ > 4 || (__NEWLIB__ == 4 && __NEWLIB_MINOR__ >= 3)
    return &__sglue;
#else
    return &_GLOBAL_REENT->__sglue;
#endif
}

/* Returns the bytes that another thread has put into the stream's buffer since: those bytes come
 * first. Streams' lock held. */
static int left_in_stream(const uint8_t *data)
{
    for (const struct _glue *g = streams(); g != NULL; g = g->_next) {
        for (int i = 0; i < g->_niobs; i++) {
            FILE *const f = &g->_iobs[i];

            if (f->_flags != 0 && f->_bf._base == data && f->_r > 0) {
                memmove(f->_bf._base, f->_p, (size_t)f->_r);
                f->_p = f->_bf._base;
                return f->_r;
            }
        }
    }
    return 0;
}

static void give_streams(struct transfer *t)
{
    t->depth = mpj_stdio_lock.depth;
    mpj_stdio_lock.depth = 0;
    mpj_rlock_give(&mpj_stdio_lock);
}

static void take_streams(const struct transfer *t)
{
    mpj_rlock_take(&mpj_stdio_lock, t->caller);
    mpj_stdio_lock.depth = t->depth;
}

/* Copies the data to write, since other threads may use the stream's buffer. */
static int keep_copy(struct transfer *t)
{
    t->copy = malloc(t->len - t->done);
    if (t->copy == NULL)
        return -ENOMEM;
    memcpy(t->copy, t->data + t->done, t->len - t->done);
    t->data = t->copy - t->done;
    return 0;
}

/*
 * Releases the streams' lock so that a stream can wait for its descriptor while other streams are
 * used. Other threads that use the same stream wait here until the thread that came first has
 * completed its operation on the stream; that thread holds the streams' lock except while it waits.
 * Returns 0, the number of bytes that are in the buffer by now, or -ENOMEM.
 */
static int park(struct transfer *t)
{
    struct mpj_wait_info info = {.kind = t->o->ops->wait, .object = t->o, .caller = t->caller};
    volatile uint32_t *const waits = &t->o->stdio[t->way];
    int r = t->way == MPJ_OUT ? keep_copy(t) : 0;

    while (r == 0 && *waits != 0) {
        give_streams(t);
        (void)mpj_rt_wait(waits, 1U, &info, UINT64_MAX);
        take_streams(t);
        if (*waits == 0 && t->way == MPJ_IN)
            r = left_in_stream(t->data);
    }
    if (r != 0)
        return r;
    t->parked = true;
    *waits = 1U;
    give_streams(t);
    return 0;
}

static void unpark(struct transfer *t)
{
    if (t->parked) {
        take_streams(t);
        t->o->stdio[t->way] = 0;
        (void)mpj_rt_wake(&t->o->stdio[t->way], ~0U);
    }
    free(t->copy);
}

static bool to_park(const struct transfer *t)
{
    return t->waits && !t->parked && mpj_stdio_lock.owner == mpj_thread_self() &&
           mpj_sched_can_wait();
}

/* Transfers one share. Returns bytes, or a negative errno; -EAGAIN only if the transfer may not
 * wait. */
static int move_some(struct transfer *t)
{
    const struct mpj_object_ops *const ops = t->o->ops;
    int r = to_park(t) && t->o->stdio[t->way] != 0 ? park(t) : 0; /* earlier threads first */

    while (r == 0) {
        hal_irq_state s = mpj_sched_lock();
        const int n = ops->move[t->way](t->o, t->data + t->done, t->len - t->done, t->flags);

        if (n != -EAGAIN || !t->waits || !mpj_sched_can_wait()) {
            mpj_sched_unlock(s);
            return n;
        }
        if (to_park(t)) {
            mpj_sched_unlock(s);
            r = park(t);
        } else {
            r = wait_locked(t, s);
        }
    }
    return r;
}

static int move_all(struct transfer *t)
{
    int n;

    do {
        n = move_some(t);
        if (n > 0)
            t->done += (size_t)n;
        t->no_reader |= n == -EPIPE;
        if (t->way == MPJ_IN && (t->flags & MSG_WAITALL) == 0)
            t->waits = false; /* some data is there */
    } while (n > 0 && t->o->ops->stream && (t->flags & MSG_PEEK) == 0 && t->done < t->len);
    return n < 0 && t->done == 0 ? n : (int)t->done;
}

int mpj_object_transfer(struct mpj_object *o, enum mpj_way way, void *data, size_t len, int flags,
                        bool waits, uint64_t deadline, const void *caller)
{
    const struct mpj_thread_signals *const signals = &mpj_thread_self()->signals;
    struct transfer t = {.o = o,
                         .way = way,
                         .data = data,
                         .len = len,
                         .flags = flags,
                         .waits = waits,
                         .cancel = true,
                         .deadline = deadline,
                         .caller = caller,
                         .broken = signals->broken};
    const int r = move_all(&t);

    unpark(&t);
    return r;
}

int mpj_object_move(int fd, enum mpj_way way, void *data, size_t len, int flags, bool cancel,
                    const void *caller)
{
    struct transfer t = {.way = way,
                         .data = data,
                         .len = len < INT32_MAX ? len : INT32_MAX,
                         .flags = flags,
                         .cancel = cancel,
                         .deadline = MPJ_NEVER,
                         .caller = caller,
                         .broken = mpj_thread_self()->signals.broken};
    int mode;
    int r;

    t.o = mpj_object_hold(fd, &mode);
    if (t.o == NULL)
        return -1;
    t.waits = (mode & O_NONBLOCK) == 0 && (flags & MSG_DONTWAIT) == 0;
    if ((mode & O_ACCMODE) == (way == MPJ_IN ? O_WRONLY : O_RDONLY))
        r = -EBADF;
    else if (!mpj_file_memory(data, len, way == MPJ_IN))
        r = -EFAULT;
    else
        r = t.o->ops->move[way] != NULL ? move_all(&t) : -EINVAL;
    unpark(&t);
    mpj_object_drop(t.o);
    if (t.no_reader && (flags & MSG_NOSIGNAL) == 0)
        (void)raise(SIGPIPE);
    if (r == -ECANCELED)
        pthread_testcancel();
    return r < 0 ? fail(-r) : r;
}
