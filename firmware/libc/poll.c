/* SPDX-License-Identifier: GPL-2.0-or-later */
/* poll() and select(). Files, stdin and the console are always ready. */
#include <poll.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "hal_sys.h"
#include "mpj.h"
#include "objects.h"

#define NS_PER_S 1000000000ULL
#define FEW      16U /* watches that fit on the stack */
#define FOR_EVER 4000000000ULL

static int fail(int error)
{
    errno = error;
    return -1;
}

uint64_t mpj_ticks_from_now(uint64_t s, uint64_t ns)
{
    return s > FOR_EVER ? MPJ_NEVER : mpj_sched_ticks(mpj_time_ns() + s * NS_PER_S + ns);
}

/* Takes references to the objects of all descriptors, unless they are given; sets the result of
 * descriptors without one. */
static void hold_all(struct pollfd *file, struct mpj_object *const given[], struct mpj_watch *watch,
                     size_t count)
{
    const short ways = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;

    for (size_t i = 0; i < count; i++) {
        const int host = file[i].fd < 0 ? 0 : mpj_file_host(file[i].fd);

        watch[i] = (struct mpj_watch){.thread = mpj_thread_self()};
        file[i].revents = 0;
        if (given != NULL && given[i] != NULL)
            watch[i].object = given[i];
        else if (mpj_object_of(host) != NULL)
            watch[i].object = mpj_object_hold(file[i].fd, NULL);
        if (watch[i].object == NULL && file[i].fd >= 0)
            file[i].revents = host < 0 ? POLLNVAL : (short)(file[i].events & ways);
    }
}

static void drop_all(struct mpj_object *const given[], const struct mpj_watch *watch, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (watch[i].object != NULL && (given == NULL || given[i] == NULL))
            mpj_object_drop(watch[i].object);
    }
}

/* Updates the results and returns how many descriptors are ready. Lock held. */
static int look(struct pollfd *file, const struct mpj_watch *watch, size_t count)
{
    int ready = 0;

    for (size_t i = 0; i < count; i++) {
        struct mpj_object *const o = watch[i].object;

        if (o != NULL)
            file[i].revents =
                (short)(o->ops->ready(o) & (file[i].events | POLLERR | POLLHUP | POLLNVAL));
        ready += file[i].revents != 0;
    }
    return ready;
}

static void watch_all(struct mpj_watch *watch, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (watch[i].object == NULL)
            continue;
        watch[i].next = watch[i].object->watches;
        watch[i].object->watches = &watch[i];
    }
}

static void unwatch_all(const struct mpj_watch *watch, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct mpj_watch **at;

        if (watch[i].object == NULL)
            continue;
        at = &watch[i].object->watches;
        while (*at != &watch[i])
            at = &(*at)->next;
        *at = watch[i].next;
    }
}

/* Returns the deadline, or an earlier time at which an object becomes ready by itself; sets the
 * object that the thread waits for. */
static uint64_t first_due(const struct mpj_watch *watch, size_t count, uint64_t deadline,
                          struct mpj_wait_info *info)
{
    for (size_t i = 0; i < count; i++) {
        const struct mpj_object *const o = watch[i].object;
        uint64_t due;

        if (o == NULL)
            continue;
        info->kind = MPJ_WAIT_POLL;
        info->object = info->object != NULL ? info->object : o;
        due = o->ops->due != NULL ? o->ops->due(o) : MPJ_NEVER;
        deadline = due < deadline ? due : deadline;
    }
    return deadline;
}

/* Waits, interruptible, for a change of a watched object; the watches are out of the objects' lists
 * before a handler runs or the lock is free. Lock held; returns without it. */
static int wait_locked(struct mpj_watch *watch, size_t count, const struct mpj_wait_info *info,
                       uint64_t due, hal_irq_state s)
{
    struct mpj_thread *const self = mpj_thread_self();
    int r;

    watch_all(watch, count);
    self->hold--;
    r = mpj_sched_block_locked(info, due, true);
    self->hold++; /* IRQ is still masked */
    (void)mpj_sched_lock();
    unwatch_all(watch, count);
    mpj_sched_unlock(s);
    return r;
}

/* Waits and returns how many descriptors are ready; -EINTR: something is to be done when the thread
 * can be interrupted again; -ECANCELED. */
static int wait_for(struct pollfd *file, struct mpj_watch *watch, size_t count, uint64_t deadline,
                    uint32_t handled, const void *caller)
{
    for (;;) {
        struct mpj_wait_info info = {.kind = MPJ_WAIT_SLEEP, .caller = caller};
        hal_irq_state s = mpj_sched_lock();
        const int ready = look(file, watch, count);
        const bool over = deadline == 0 || !mpj_sched_can_wait() ||
                          (deadline != MPJ_NEVER && hal_sys_ticks() >= deadline);
        uint64_t due;
        int r;

        if (ready != 0 || over || mpj_thread_self()->signals.handled != handled) {
            mpj_sched_unlock(s);
            return ready != 0 || over ? ready : -EINTR;
        }
        due = first_due(watch, count, deadline, &info);
        r = wait_locked(watch, count, &info, due, s);
        if (r == -ECANCELED || r == -EINTR)
            return r;
    }
}

int mpj_poll_objects(struct pollfd *file, struct mpj_object *const object[], size_t count,
                     uint64_t deadline, uint32_t handled, const void *caller)
{
    struct mpj_watch few[FEW];
    struct mpj_watch *watch = few;
    int r;

    if (count > FEW)
        watch = malloc(count * sizeof(*watch));
    if (watch == NULL)
        return -ENOMEM;
    hold_all(file, object, watch, count);
    r = wait_for(file, watch, count, deadline, handled, caller);
    drop_all(object, watch, count);
    if (watch != few)
        free(watch);
    return r;
}

bool mpj_poll_again(int result, uint32_t handled)
{
    return result == -EINTR && mpj_thread_self()->signals.handled == handled;
}

int mpj_poll_result(int result)
{
    if (result == -ECANCELED)
        pthread_testcancel();
    return result < 0 ? fail(-result) : result;
}

int mpj_poll(struct pollfd *file, size_t count, uint64_t deadline, uint32_t handled,
             const void *caller)
{
    int r;

    mpj_cancel_point();
    if (!mpj_file_memory(file, count * sizeof(*file), true))
        return -1;
    do {
        mpj_thread_hold();
        r = mpj_poll_objects(file, NULL, count, deadline, handled, caller);
        mpj_thread_release(); /* handlers run, and may not return */
    } while (mpj_poll_again(r, handled));
    return mpj_poll_result(r);
}

static uint32_t handled(void)
{
    return mpj_thread_self()->signals.handled;
}

int poll(struct pollfd *file, nfds_t count, int milliseconds)
{
    const uint32_t before = handled();
    const unsigned ms = milliseconds > 0 ? (unsigned)milliseconds : 0;
    const uint64_t deadline = milliseconds < 0    ? MPJ_NEVER
                              : milliseconds == 0 ? 0
                                                  : mpj_ticks_from_now(0, ms * 1000000ULL);

    return mpj_poll(file, count, deadline, before, __builtin_return_address(0));
}

/* ---- sets ------------------------------------------------------------------------ */

static bool has(int fd, const fd_set *set)
{
    return set != NULL && FD_ISSET(fd, set);
}

/* Converts the sets to poll()'s form; returns the number of descriptors, or -1 with EBADF. */
static int gather(int count, const fd_set *in, const fd_set *out, const fd_set *odd,
                  struct pollfd file[MPJ_DESCRIPTORS])
{
    int n = 0;

    for (int i = 0; i < count; i++) {
        const int wanted =
            (has(i, in) ? POLLIN : 0) | (has(i, out) ? POLLOUT : 0) | (has(i, odd) ? POLLPRI : 0);

        if (wanted == 0)
            continue;
        if (mpj_file_host(i) < 0)
            return -1;
        file[n++] = (struct pollfd){.fd = i, .events = (short)wanted};
    }
    return n;
}

static int scatter(int n, const struct pollfd *file, fd_set *in, fd_set *out, fd_set *odd)
{
    int ready = 0;

    for (int i = 0; i < n; i++) {
        const struct pollfd *const f = &file[i];
        const bool reads = (f->events & POLLIN) != 0 && f->revents != 0 && f->revents != POLLOUT;
        const bool writes = (f->events & POLLOUT) != 0 && (f->revents & (POLLOUT | POLLERR)) != 0;

        if ((f->events & POLLIN) != 0 && !reads)
            FD_CLR(f->fd, in);
        if ((f->events & POLLOUT) != 0 && !writes)
            FD_CLR(f->fd, out);
        if ((f->events & POLLPRI) != 0)
            FD_CLR(f->fd, odd);
        ready += reads + writes;
    }
    return ready;
}

int mpj_select(int count, void *in, void *out, void *odd, uint64_t deadline, uint32_t before,
               const void *caller)
{
    struct pollfd file[MPJ_DESCRIPTORS];
    int n;
    int r;

    mpj_cancel_point();
    if (count < 0)
        return fail(EINVAL);
    n = gather(count < (int)FD_SETSIZE ? count : (int)FD_SETSIZE, in, out, odd, file);
    if (n < 0)
        return -1;
    r = mpj_poll(file, (size_t)n, deadline, before, caller);
    return r < 0 ? r : scatter(n, file, in, out, odd);
}

static void take_off(struct timeval *limit, uint64_t deadline)
{
    const uint64_t now = hal_sys_ticks();
    const uint64_t us =
        deadline > now ? hal_time_to_us(HAL_SYS_TIME_HZ, deadline - now) : 0; /* rounded down */

    limit->tv_sec = (time_t)(us / 1000000U);
    limit->tv_usec = (suseconds_t)(us % 1000000U);
}

int select(int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *limit)
{
    const uint32_t before = handled();
    uint64_t deadline = MPJ_NEVER;
    int r;

    if (limit != NULL && (limit->tv_sec < 0 || limit->tv_usec < 0))
        return fail(EINVAL);
    if (limit != NULL)
        deadline =
            limit->tv_sec == 0 && limit->tv_usec == 0
                ? 0
                : mpj_ticks_from_now((uint64_t)limit->tv_sec, (uint64_t)limit->tv_usec * 1000U);
    r = mpj_select(count, in, out, odd, deadline, before, __builtin_return_address(0));
    if (r >= 0 && limit != NULL && deadline != MPJ_NEVER)
        take_off(limit, deadline);
    return r;
}
