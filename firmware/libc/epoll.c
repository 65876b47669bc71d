/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of descriptors to wait for: a list that poll() is given. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "cancel.h"
#include "files.h"
#include "objects.h"

#define WAYS (POLLIN | POLLPRI | POLLOUT | POLLRDNORM | POLLWRNORM | POLLRDHUP)

struct entry {
    int fd; /* -1: none */
    struct epoll_event event;
};

/* A thread that waits, and which of the set's changes it knows. */
struct waiter {
    struct waiter *next;
    const struct mpj_thread *thread;
    unsigned seen;
};

struct set {
    struct mpj_object object; /* first */
    struct entry entry[MPJ_DESCRIPTORS];
    unsigned changes;
    struct waiter *waiters;
};

static int fail(int error)
{
    errno = error;
    return -1;
}

static void gone(struct mpj_object *o)
{
    free(o);
}

/* To a thread that waits: whether it is to look again. To others it never is. */
static short ready(struct mpj_object *o)
{
    const struct set *const s = (const struct set *)o;

    for (const struct waiter *w = s->waiters; w != NULL; w = w->next) {
        if (w->thread == mpj_thread_self())
            return w->seen != s->changes ? POLLIN : 0;
    }
    return 0;
}

static const struct mpj_object_ops ops = {
    .mode = S_IRUSR | S_IWUSR, .wait = MPJ_WAIT_POLL, .ready = ready, .gone = gone};

int epoll_create1(int flags)
{
    struct set *s;
    int fd;

    if ((flags & ~EPOLL_CLOEXEC) != 0)
        return fail(EINVAL);
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return fail(ENOMEM);
    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++)
        s->entry[i].fd = -1;
    fd = mpj_object_open(&s->object, &ops, flags | O_RDWR);
    if (fd < 0)
        free(s);
    return fd;
}

int epoll_create(int size)
{
    return size > 0 ? epoll_create1(0) : fail(EINVAL);
}

/* To be dropped; NULL with errno. */
static struct set *set_at(int fd)
{
    struct mpj_object *const o = mpj_object_hold(fd, NULL);

    if (o == NULL || o->ops == &ops)
        return (struct set *)o;
    mpj_object_drop(o);
    errno = EINVAL;
    return NULL;
}

/* Lock held. 0 or a negative errno. */
static int change(struct set *s, int operation, int fd, const struct epoll_event *event)
{
    struct entry *free_entry = NULL;
    struct entry *own = NULL;

    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++) {
        if (s->entry[i].fd == fd)
            own = &s->entry[i];
        if (s->entry[i].fd < 0)
            free_entry = &s->entry[i];
    }
    if (operation == EPOLL_CTL_ADD && own == NULL && free_entry != NULL)
        *free_entry = (struct entry){fd, *event};
    else if (operation == EPOLL_CTL_ADD)
        return own != NULL ? -EEXIST : -ENOSPC;
    else if (own == NULL)
        return -ENOENT;
    else if (operation == EPOLL_CTL_DEL)
        own->fd = -1;
    else
        own->event = *event;
    s->changes++;
    mpj_object_changed_locked(&s->object, MPJ_IN); /* who waits looks again */
    return 0;
}

int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
    const int host = mpj_file_host(fd);
    struct set *s;
    hal_irq_state irq;
    int r;

    if (host < 0)
        return -1;
    if (operation < EPOLL_CTL_ADD || operation > EPOLL_CTL_MOD || set == fd ||
        (operation != EPOLL_CTL_DEL && (event->events & EPOLLET) != 0))
        return fail(EINVAL);
    if (host > 2 && mpj_object_of(host) == NULL)
        return fail(EPERM);
    s = set_at(set);
    if (s == NULL)
        return -1;
    irq = mpj_sched_lock();
    r = change(s, operation, fd, event);
    mpj_sched_unlock(irq);
    mpj_object_drop(&s->object);
    return r < 0 ? fail(-r) : 0;
}

/* What is waited for; the set itself, so that changes are seen, comes last. */
static unsigned gather(struct set *s, int set, struct waiter *self, struct pollfd file[])
{
    unsigned n = 0;
    hal_irq_state irq = mpj_sched_lock();

    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++) {
        if (s->entry[i].fd >= 0 && s->entry[i].event.events != EPOLLONESHOT) /* was there */
            file[n++] = (struct pollfd){.fd = s->entry[i].fd,
                                        .events = (short)(s->entry[i].event.events & WAYS)};
    }
    self->seen = s->changes;
    mpj_sched_unlock(irq);
    file[n++] = (struct pollfd){.fd = set, .events = POLLIN};
    return n;
}

static void join(struct set *s, struct waiter *self)
{
    hal_irq_state irq = mpj_sched_lock();

    *self = (struct waiter){.next = s->waiters, .thread = mpj_thread_self()};
    s->waiters = self;
    mpj_sched_unlock(irq);
}

static void part(struct set *s, const struct waiter *self)
{
    struct waiter **at = &s->waiters;
    hal_irq_state irq = mpj_sched_lock();

    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    mpj_sched_unlock(irq);
}

/* Lock held. */
static struct entry *entry_of(struct set *s, int fd)
{
    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++) {
        if (s->entry[i].fd == fd)
            return &s->entry[i];
    }
    return NULL;
}

static int scatter(struct set *s, const struct pollfd *file, unsigned n, struct epoll_event *events,
                   int most)
{
    int count = 0;
    hal_irq_state irq = mpj_sched_lock();

    for (unsigned i = 0; i < n && count < most; i++) {
        struct entry *const e = file[i].revents != 0 ? entry_of(s, file[i].fd) : NULL;

        if (e == NULL || e->event.events == EPOLLONESHOT)
            continue;
        if (file[i].revents == POLLNVAL) { /* closed */
            e->fd = -1;
            continue;
        }
        events[count++] = (struct epoll_event){(uint16_t)file[i].revents, e->event.data};
        if ((e->event.events & EPOLLONESHOT) != 0)
            e->event.events = EPOLLONESHOT;
    }
    mpj_sched_unlock(irq);
    return count;
}

struct left {
    struct set *set;
    struct waiter *self;
};

/* Cancelled. */
static void leaves(void *arg)
{
    const struct left *const l = arg;

    part(l->set, l->self);
    mpj_object_drop(&l->set->object);
}

static int wait_for(int set, struct epoll_event *events, int most, int milliseconds,
                    uint32_t handled, const void *caller)
{
    const unsigned ms = milliseconds > 0 ? (unsigned)milliseconds : 0;
    const uint64_t deadline = milliseconds < 0    ? MPJ_NEVER
                              : milliseconds == 0 ? 0
                                                  : mpj_ticks_from_now(0, ms * 1000000ULL);
    struct pollfd file[MPJ_DESCRIPTORS + 1];
    struct waiter self;
    struct set *s;
    int r;

    if (most <= 0)
        return fail(EINVAL);
    mpj_cancel_point();
    s = set_at(set);
    if (s == NULL)
        return -1;
    join(s, &self);
    pthread_cleanup_push(leaves, (&(struct left){s, &self}));
    do { /* again when what was ready is only closed ones */
        const unsigned n = gather(s, set, &self, file);

        r = mpj_poll(file, n, deadline, handled, caller);
        if (r > 0)
            r = scatter(s, file, n - 1U, events, most);
        else if (r == 0)
            break;
    } while (r == 0 && deadline != 0);
    pthread_cleanup_pop(0);
    part(s, &self);
    mpj_object_drop(&s->object);
    return r;
}

int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds)
{
    return wait_for(set, events, most, milliseconds, mpj_thread_self()->signals.handled,
                    __builtin_return_address(0));
}

int epoll_pwait(int set, struct epoll_event *events, int most, int milliseconds,
                const sigset_t *mask)
{
    const uint32_t before = mpj_thread_self()->signals.handled;
    sigset_t old;
    int error;
    int r;

    if (mask != NULL)
        (void)pthread_sigmask(SIG_SETMASK, mask, &old);
    r = wait_for(set, events, most, milliseconds, before, __builtin_return_address(0));
    error = errno;
    if (mask != NULL)
        (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return r;
}
