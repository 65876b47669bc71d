/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Barriers, pthread_once(), spin locks. */
#include <errno.h>

#include "pt_int.h"

/* ---- barriers --------------------------------------------------------------------- */

/* Bits 10:0 threads, 21:11 arrived, 31:22 openings so far; changed under the scheduler's lock. */

#define BARRIER_SHIFT  11U
#define BARRIER_MASK   0x7ffU
#define BARRIER_OPENED (1U << 22)
#define ARRIVED(word)  ((word) >> BARRIER_SHIFT & BARRIER_MASK)
#define OPENED(word)   ((word) & ~(BARRIER_OPENED - 1U))

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
                         unsigned count)
{
    if (count == 0 || (attr != NULL && !attr->is_initialized))
        return EINVAL;
    if (count > BARRIER_MASK)
        return EAGAIN;
    *barrier = count;
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    hal_irq_state s = mpj_sched_lock();
    bool waited = ARRIVED(*barrier) != 0;

    mpj_sched_unlock(s);
    return waited ? EBUSY : 0;
}

/* Waits until the barrier has opened once more than `opened` says. Lock held; returns without
 * it. */
static void wait_for_opening(const pthread_barrier_t *barrier, uint32_t opened, hal_irq_state s,
                             const void *caller)
{
    const struct mpj_wait_info info = {
        .kind = MPJ_WAIT_BARRIER, .object = barrier, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    struct mpj_waitq *q = mpj_sched_waitq();

    while (OPENED(*barrier) == opened) {
        int r;

        mpj_waitq_announce(q, PT_KEY(barrier, 2U));
        mpj_waitq_add(q, &self->wait, PT_KEY(barrier, 2U), self->run.priority);
        r = mpj_sched_block_locked(&info, MPJ_NEVER, false);
        hal_irq_restore(s);
        if (r != -EINTR)
            return;
        mpj_thread_poll();
        s = mpj_sched_lock();
    }
    mpj_sched_unlock(s);
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct mpj_waitq *q = mpj_sched_waitq();
    struct mpj_waitq_node *n;
    uint32_t count;
    hal_irq_state s;

    if ((*barrier & BARRIER_MASK) == 0)
        return EINVAL;
    s = mpj_sched_lock();
    count = *barrier & BARRIER_MASK;
    *barrier += 1U << BARRIER_SHIFT;
    if (ARRIVED(*barrier) < count) {
        wait_for_opening(barrier, OPENED(*barrier), s, PT_CALLER());
        return 0;
    }
    *barrier = (OPENED(*barrier) + BARRIER_OPENED) | count;
    while ((n = mpj_waitq_take(q, PT_KEY(barrier, 2U))) != NULL)
        mpj_sched_wake_locked(mpj_thread_of_wait(n), 0);
    mpj_sched_unlock(s);
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr)
{
    *attr = (pthread_barrierattr_t){.is_initialized = 1};
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    attr->is_initialized = 0;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *shared = attr->process_shared;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared)
{
    if (attr == NULL || !attr->is_initialized || !pt_shared_ok(shared))
        return EINVAL;
    attr->process_shared = shared;
    return 0;
}

/* ---- once: 0 before, RUNNING during the call, DONE after it ---------------------- */

#define ONCE_RUNNING 1
#define ONCE_DONE    2

static void once_again(void *arg)
{
    pthread_once_t *once = arg;

    __atomic_store_n(once, 0, __ATOMIC_RELEASE);
    (void)mpj_rt_wake((const volatile uint32_t *)once, ~0U);
}

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_ONCE, .object = once, .caller = PT_CALLER()};

    for (;;) {
        int none = 0;

        if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_DONE)
            return 0;
        if (__atomic_compare_exchange_n(once, &none, ONCE_RUNNING, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_ACQUIRE))
            break;
        if (none == ONCE_RUNNING)
            (void)mpj_rt_wait((const volatile uint32_t *)once, ONCE_RUNNING, &info, UINT64_MAX);
    }
    pthread_cleanup_push(once_again, once);
    routine();
    pthread_cleanup_pop(0);
    __atomic_store_n(once, ONCE_DONE, __ATOMIC_RELEASE);
    (void)mpj_rt_wake((const volatile uint32_t *)once, ~0U);
    return 0;
}

/* ---- spin locks ------------------------------------------------------------------ */

#define SPINS 100U

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    __atomic_store_n(lock, 0U, __ATOMIC_RELEASE);
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    return __atomic_load_n(lock, __ATOMIC_RELAXED) == 1U ? EBUSY : 0;
}

/* Tries to take the lock. All ones counts as free: the C library's static initialisers look like
 * that. */
int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return __atomic_exchange_n(lock, 1U, __ATOMIC_ACQUIRE) == 1U ? EBUSY : 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    while (pthread_spin_trylock(lock) != 0) {
        for (unsigned i = 0; __atomic_load_n(lock, __ATOMIC_RELAXED) == 1U; i++) {
            /* The holder may be waiting for a core. */
            if (i % SPINS == SPINS - 1U)
                mpj_rt_yield();
        }
    }
    return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    __atomic_store_n(lock, 0U, __ATOMIC_RELEASE);
    return 0;
}
