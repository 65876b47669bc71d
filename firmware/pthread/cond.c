/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Condition variables. The word only selects the clock of timed waits: 1 is the monotonic clock;
 * anything else, the static initialiser and zero included, the realtime clock. Waiters are in the
 * wait queue. A signal removes the first of those with the highest priority; otherwise only a
 * deadline, cancellation or a signal handler, after which the wait ends, removes a waiter, so a
 * wait never ends spuriously. A waiter whose mutex is locked moves straight to that mutex's
 * waiters.
 */
#include <errno.h>

#include "pt_int.h"

#define MONOTONIC 1U
#define KEY(cond) PT_KEY(cond, 1U)

static int wait_on(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline,
                   const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_COND, .object = cond, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    struct mpj_waitq *q = mpj_sched_waitq();
    const uint8_t type = self->cancel_type;
    uint32_t dropped;
    int locked;
    hal_irq_state s;
    int r = pt_mutex_check(mutex);

    if (r != 0)
        return r;
    pthread_testcancel();
    self->cancel_type = PTHREAD_CANCEL_DEFERRED; /* clean-up handlers find the mutex locked */
    s = mpj_sched_lock();
    self->aux = mutex;
    mpj_waitq_announce(q, KEY(cond));
    dropped = pt_mutex_drop_locked(mutex);
    mpj_waitq_add(q, &self->wait, KEY(cond), self->run.priority); /* no longer the ceiling */
    r = mpj_sched_block_locked(&info, deadline, true);
    hal_irq_restore(s);
    if (r == -EINTR)
        mpj_thread_poll();
    locked = pt_mutex_lock(mutex, MPJ_NEVER, r == 0, caller);
    pt_mutex_restore(mutex, dropped);
    self->cancel_type = type;
    if (r == -ECANCELED || (type == PTHREAD_CANCEL_ASYNCHRONOUS && self->cancel_pending))
        pthread_testcancel();
    if (locked != 0) /* a robust mutex */
        return locked;
    return r == -ETIMEDOUT ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return wait_on(cond, mutex, MPJ_NEVER, PT_CALLER());
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *abstime)
{
    uint64_t deadline;
    int r = pt_deadline(*cond == MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME, abstime, &deadline);

    return r != 0 ? r : wait_on(cond, mutex, deadline, PT_CALLER());
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *abstime)
{
    uint64_t deadline;
    int r = pt_deadline(clock, abstime, &deadline);

    return r != 0 ? r : wait_on(cond, mutex, deadline, PT_CALLER());
}

static int wake(pthread_cond_t *cond, unsigned n)
{
    struct mpj_waitq *q = mpj_sched_waitq();
    pthread_mutex_t *woken_for = NULL;
    hal_irq_state s;

    if (mpj_waitq_idle(q, KEY(cond)))
        return 0;
    s = mpj_sched_lock();
    while (n-- > 0) {
        struct mpj_waitq_node *node = mpj_waitq_take(q, KEY(cond));
        struct mpj_thread *t;
        pthread_mutex_t *mutex;

        if (node == NULL)
            break;
        t = mpj_thread_of_wait(node);
        mutex = t->aux;
        if (pt_mutex_requeue_locked(mutex, t, mutex == woken_for))
            continue;
        mpj_sched_wake_locked(t, 0);
        woken_for = mutex;
    }
    mpj_sched_unlock(s);
    return 0;
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    return wake(cond, 1);
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
    return wake(cond, ~0U);
}

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
    if (attr != NULL && !attr->is_initialized)
        return EINVAL;
    *cond = attr != NULL && attr->clock == CLOCK_MONOTONIC ? MONOTONIC : 0U;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct mpj_waitq *q = mpj_sched_waitq();
    bool waited;
    hal_irq_state s;

    if (mpj_waitq_idle(q, KEY(cond)))
        return 0;
    s = mpj_sched_lock();
    waited = mpj_waitq_has(q, KEY(cond));
    mpj_sched_unlock(s);
    return waited ? EBUSY : 0;
}

/* ---- attributes ------------------------------------------------------------------ */

int pthread_condattr_init(pthread_condattr_t *attr)
{
    *attr = (pthread_condattr_t){.is_initialized = 1, .clock = CLOCK_REALTIME};
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    attr->is_initialized = 0;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict attr, clockid_t *restrict clock)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *clock = (clockid_t)attr->clock;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
    if (attr == NULL || !attr->is_initialized ||
        (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return EINVAL;
    attr->clock = (clock_t)clock;
    return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *shared = attr->process_shared;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared)
{
    if (attr == NULL || !attr->is_initialized || !pt_shared_ok(shared))
        return EINVAL;
    attr->process_shared = shared;
    return 0;
}
