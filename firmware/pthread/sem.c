/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Semaphores; sem_named.c has those with names. A post gives its unit to the first of the waiters
 * with the highest priority, if there is one. */
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "pt_int.h"

int sem_init(sem_t *sem, int shared, unsigned int value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX) {
        errno = EINVAL;
        return -1;
    }
    __atomic_store_n(&sem->__value, value, __ATOMIC_RELEASE);
    return 0;
}

int sem_destroy(sem_t *sem)
{
    struct mpj_waitq *q = mpj_sched_waitq();
    hal_irq_state s = mpj_sched_lock();
    bool waited = mpj_waitq_has(q, (uintptr_t)&sem->__value);

    mpj_sched_unlock(s);
    if (!waited)
        return 0;
    errno = EBUSY;
    return -1;
}

static bool take(sem_t *sem)
{
    unsigned v = __atomic_load_n(&sem->__value, __ATOMIC_RELAXED);

    while (v != 0) {
        if (__atomic_compare_exchange_n(&sem->__value, &v, v - 1U, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* Takes a unit if there is one. A wait is a cancellation point whether it blocks or not. */
static bool take_now(sem_t *sem)
{
    pthread_testcancel();
    return take(sem);
}

static int fail(int error)
{
    errno = error;
    return -1;
}

static int wait_once(sem_t *sem, uint64_t deadline, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_SEM, .object = sem, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    struct mpj_waitq *q = mpj_sched_waitq();
    uintptr_t key = (uintptr_t)&sem->__value;
    hal_irq_state s;
    int r;

    s = mpj_sched_lock();
    mpj_waitq_announce(q, key);
    if (take(sem)) {
        mpj_waitq_retract(q, key);
        mpj_sched_unlock(s);
        return 0;
    }
    mpj_waitq_add(q, &self->wait, key, self->run.priority);
    r = mpj_sched_block_locked(&info, deadline, true);
    hal_irq_restore(s);
    return r;
}

/* Waits for a unit. A handler without SA_RESTART ends the wait; with a deadline, any handler does,
 * as on Linux. */
static int wait_for(sem_t *sem, uint64_t deadline, const void *caller)
{
    const struct mpj_thread_signals *signals = &mpj_thread_self()->signals;
    const volatile uint32_t *const ends =
        deadline == MPJ_NEVER ? &signals->broken : &signals->handled;
    const uint32_t before = *ends;
    int r;

    while ((r = wait_once(sem, deadline, caller)) == -EINTR) {
        mpj_thread_poll();
        if (*ends != before)
            break;
    }
    if (r == -ECANCELED)
        pthread_testcancel();
    return r == 0 ? 0 : fail(-r);
}

int sem_wait(sem_t *sem)
{
    return take_now(sem) ? 0 : wait_for(sem, MPJ_NEVER, PT_CALLER());
}

int sem_trywait(sem_t *sem)
{
    return take(sem) ? 0 : fail(EAGAIN);
}

int sem_timedwait(sem_t *sem, const struct timespec *abstime)
{
    uint64_t deadline;
    int r;

    if (take_now(sem))
        return 0;
    r = pt_deadline(CLOCK_REALTIME, abstime, &deadline);
    return r != 0 ? fail(r) : wait_for(sem, deadline, PT_CALLER());
}

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *abstime)
{
    uint64_t deadline;
    int r;

    if (take_now(sem))
        return 0;
    r = pt_deadline(clock, abstime, &deadline);
    return r != 0 ? fail(r) : wait_for(sem, deadline, PT_CALLER());
}

int sem_post(sem_t *sem)
{
    struct mpj_waitq *q = mpj_sched_waitq();
    uintptr_t key = (uintptr_t)&sem->__value;
    unsigned v = __atomic_load_n(&sem->__value, __ATOMIC_RELAXED);
    hal_irq_state s;

    do {
        if (v == SEM_VALUE_MAX)
            return fail(EOVERFLOW);
    } while (!__atomic_compare_exchange_n(&sem->__value, &v, v + 1U, false, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    if (mpj_waitq_idle(q, key))
        return 0;
    s = mpj_sched_lock();
    while (mpj_waitq_has(q, key) && take(sem))
        mpj_sched_wake_locked(mpj_thread_of_wait(mpj_waitq_take(q, key)), 0);
    mpj_sched_unlock(s);
    return 0;
}

int sem_getvalue(sem_t *sem, int *value)
{
    *value = (int)__atomic_load_n(&sem->__value, __ATOMIC_RELAXED);
    return 0;
}
