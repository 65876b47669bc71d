/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoll: a set of descriptors is a list that is passed to poll(). */
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

/* A descriptor as it was added: its number may by now name another object. */
struct entry {
    int fd;                    /* -1: none */
    struct mpj_object *object; /* NULL: a file. It has users: mpj_epoll_forget() */
    struct epoll_event event;
};

/* A waiting thread, and the last of the set's changes that it knows. */
struct waiter {
    struct waiter *next;
    const struct mpj_thread *thread;
    unsigned seen;
};

struct set {
    struct mpj_object object; /* must be first */
    struct set *next;
    struct entry entry[MPJ_DESCRIPTORS];
    unsigned first; /* the entry that is reported first */
    unsigned changes;
    struct waiter *waiters;
};

static struct set *sets; /* guarded by the scheduler's lock */

static int fail(int error)
{
    errno = error;
    return -1;
}

static void gone(struct mpj_object *o)
{
    struct set **at = &sets;
    hal_irq_state irq = mpj_sched_lock();

    while (*at != (struct set *)o)
        at = &(*at)->next;
    *at = (*at)->next;
    mpj_sched_unlock(irq);
    free(o);
}

void mpj_epoll_forget(const struct mpj_object *o)
{
    hal_irq_state irq = mpj_sched_lock();

    for (struct set *s = sets; s != NULL; s = s->next) {
        for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++) {
            if (s->entry[i].object == o)
                s->entry[i] = (struct entry){.fd = -1};
        }
    }
    mpj_sched_unlock(irq);
}

/* Reports POLLIN to a thread that waits and has not seen the last change; to other threads,
 * nothing. */
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
    hal_irq_state irq;
    int fd;

    if ((flags & ~EPOLL_CLOEXEC) != 0)
        return fail(EINVAL);
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return fail(ENOMEM);
    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++)
        s->entry[i].fd = -1;
    irq = mpj_sched_lock();
    s->next = sets;
    sets = s;
    mpj_sched_unlock(irq);
    fd = mpj_object_open(&s->object, &ops, flags | O_RDWR);
    if (fd < 0)
        gone(&s->object);
    return fd;
}

int epoll_create(int size)
{
    return size > 0 ? epoll_create1(0) : fail(EINVAL);
}

/* Returns the set of a descriptor, which the caller must drop; NULL with errno. */
static struct set *set_at(int fd)
{
    struct mpj_object *const o = mpj_object_hold(fd, NULL);

    if (o == NULL || o->ops == &ops)
        return (struct set *)o;
    mpj_object_drop(o);
    errno = EINVAL;
    return NULL;
}

/* Returns the entry of a descriptor; NULL: there is none. Lock held. */
static struct entry *entry_of(struct set *s, int fd, const struct mpj_object *object)
{
    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++) {
        if (s->entry[i].fd == fd && s->entry[i].object == object)
            return &s->entry[i];
    }
    return NULL;
}

/* Adds, changes or removes an entry. Lock held. Returns 0 or a negative errno. */
static int change(struct set *s, int operation, int fd, struct mpj_object *object,
                  const struct epoll_event *event)
{
    struct entry *const own = entry_of(s, fd, object);
    struct entry *const free_entry = entry_of(s, -1, NULL);

    if (operation == EPOLL_CTL_ADD && own == NULL && free_entry != NULL)
        *free_entry = (struct entry){fd, object, *event};
    else if (operation == EPOLL_CTL_ADD)
        return own != NULL ? -EEXIST : -ENOSPC;
    else if (own == NULL)
        return -ENOENT;
    else if (operation == EPOLL_CTL_DEL)
        *own = (struct entry){.fd = -1};
    else
        own->event = *event;
    s->changes++;
    mpj_object_changed_locked(&s->object, MPJ_IN); /* waiting threads read the set again */
    return 0;
}

int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
    const int host = mpj_file_host(fd);
    struct mpj_object *object;
    struct set *s;
    hal_irq_state irq;
    int r;

    if (host < 0)
        return -1;
    if (operation < EPOLL_CTL_ADD || operation > EPOLL_CTL_MOD || set == fd ||
        (operation != EPOLL_CTL_DEL && (event->events & EPOLLET) != 0))
        return fail(EINVAL);
    object = host > 2 ? mpj_object_hold(fd, NULL) : NULL;
    if (host > 2 && object == NULL)
        return fail(errno == EINVAL ? EPERM : errno);
    s = set_at(set);
    if (s != NULL) {
        irq = mpj_sched_lock();
        r = change(s, operation, fd, object, event);
        mpj_sched_unlock(irq);
        mpj_object_drop(&s->object);
    } else {
        r = -errno;
    }
    if (object != NULL)
        mpj_object_drop(object);
    return r < 0 ? fail(-r) : 0;
}

/* The objects that a thread waits for. */
struct wanted {
    struct set *set;
    struct waiter self;
    unsigned n; /* entries; after them comes the set itself, so that changes are seen */
    struct pollfd file[MPJ_DESCRIPTORS + 1];
    struct mpj_object *object[MPJ_DESCRIPTORS + 1]; /* references are held */
};

/* Takes a reference, unless the object is about to be forgotten. Lock held. */
static bool hold(struct mpj_object *o)
{
    unsigned users = __atomic_load_n(&o->users, __ATOMIC_RELAXED);

    while (users != 0 && !__atomic_compare_exchange_n(&o->users, &users, users + 1U, false,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        ;
    return users != 0;
}

static void gather(struct wanted *w, int set)
{
    struct set *const s = w->set;
    hal_irq_state irq = mpj_sched_lock();

    for (unsigned i = 0; i < MPJ_DESCRIPTORS; i++) {
        const struct entry *const e = &s->entry[(s->first + i) % MPJ_DESCRIPTORS];

        if (e->fd < 0 || e->event.events == EPOLLONESHOT) /* was reported already */
            continue;
        if (e->object != NULL && !hold(e->object))
            continue;
        w->object[w->n] = e->object;
        w->file[w->n++] = (struct pollfd){.fd = e->fd, .events = (short)(e->event.events & WAYS)};
    }
    w->self.seen = s->changes;
    mpj_sched_unlock(irq);
    w->object[w->n] = &s->object;
    w->file[w->n] = (struct pollfd){.fd = set, .events = POLLIN};
}

static void let_go(struct wanted *w)
{
    while (w->n != 0) {
        w->n--;
        if (w->object[w->n] != NULL)
            mpj_object_drop(w->object[w->n]);
    }
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

/* Reports the ready entries, beginning with the one that has the turn; the turn passes to the one
 * after the last reported. */
static int scatter(const struct wanted *w, struct epoll_event *events, int most)
{
    struct set *const s = w->set;
    int count = 0;
    hal_irq_state irq = mpj_sched_lock();

    for (unsigned i = 0; i < w->n && count < most; i++) {
        const struct pollfd *const f = &w->file[i];
        struct entry *const e = f->revents != 0 ? entry_of(s, f->fd, w->object[i]) : NULL;

        if (e == NULL || e->event.events == EPOLLONESHOT)
            continue;
        if (f->revents == POLLNVAL) { /* the descriptor was closed */
            *e = (struct entry){.fd = -1};
            continue;
        }
        events[count++] = (struct epoll_event){(uint16_t)f->revents, e->event.data};
        if ((e->event.events & EPOLLONESHOT) != 0)
            e->event.events = EPOLLONESHOT;
        s->first = (unsigned)(e - s->entry + 1) % MPJ_DESCRIPTORS;
    }
    mpj_sched_unlock(irq);
    return count;
}

/* Waits as mpj_poll_objects(), with interruptions held off. */
static int wait_once(int set, struct epoll_event *events, int most, uint64_t deadline,
                     uint32_t handled, const void *caller)
{
    struct wanted w;
    int r;

    w.n = 0;
    w.set = set_at(set);
    if (w.set == NULL)
        return -errno;
    join(w.set, &w.self);
    do { /* again if everything that was ready is closed */
        gather(&w, set);
        r = mpj_poll_objects(w.file, w.object, w.n + 1U, deadline, handled, caller);
        if (r == 0)
            deadline = 0;
        else if (r > 0)
            r = scatter(&w, events, most);
        let_go(&w);
    } while (r == 0 && deadline != 0);
    part(w.set, &w.self);
    mpj_object_drop(&w.set->object);
    return r;
}

static int wait_for(int set, struct epoll_event *events, int most, int milliseconds,
                    uint32_t handled, const void *caller)
{
    const unsigned ms = milliseconds > 0 ? (unsigned)milliseconds : 0;
    const uint64_t deadline = milliseconds < 0    ? MPJ_NEVER
                              : milliseconds == 0 ? 0
                                                  : mpj_ticks_from_now(0, ms * 1000000ULL);
    int r;

    if (most <= 0)
        return fail(EINVAL);
    mpj_cancel_point();
    do {
        mpj_thread_hold();
        r = wait_once(set, events, most, deadline, handled, caller);
        mpj_thread_release(); /* handlers run, and may not return */
    } while (mpj_poll_again(r, handled));
    return mpj_poll_result(r);
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
