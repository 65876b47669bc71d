/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutexes. Layout of the word:
 *   bit 31      threads may be waiting: unlocking wakes one
 *   bits 30:29  type: 0 normal, 1 recursive, 2 errorcheck, 3 special (mutex_special.c)
 *   bits 28:12  recursive: number of locks beyond the first; special: number of its record
 *   bits 11:0   the owner's slot + 1; 0: free
 *
 * All ones, the C library's static initialiser, is a free normal mutex; so is zero. A free mutex
 * goes to the first thread that takes it, woken or not; waiters are woken by priority, in FIFO
 * order among equals.
 */
#include <errno.h>

#include "pt_int.h"

#define WAITERS    0x80000000U
#define TYPE_SHIFT 29U
#define TYPE       (3U << TYPE_SHIFT)
#define RECURSIVE  (1U << TYPE_SHIFT)
#define ERRORCHECK (2U << TYPE_SHIFT)
#define COUNT_ONE  0x1000U
#define COUNT      0x1ffff000U
#define OWNER      0x00000fffU
#define STATIC     PT_MUTEX_STATIC

/* Returns the part of the word that unlocking keeps. */
static uint32_t kept(uint32_t w)
{
    return pt_is_special(w) ? w & (TYPE | COUNT) : w & TYPE;
}

static uint32_t me(void)
{
    return mpj_thread_self()->slot + 1U;
}

static uint32_t word_of(const pthread_mutex_t *mutex)
{
    return __atomic_load_n(mutex, __ATOMIC_RELAXED);
}

static bool swap(pthread_mutex_t *mutex, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(mutex, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Tries to lock without waiting. Returns 0, EBUSY if another thread holds the mutex, or an
 * error. */
static int try_lock(pthread_mutex_t *mutex, bool carrier)
{
    for (;;) {
        uint32_t raw = word_of(mutex);
        uint32_t w = raw == STATIC ? 0 : raw;

        if (pt_is_special(w))
            return pt_special_try(mutex, carrier);
        if ((w & OWNER) == 0) {
            if (swap(mutex, raw, w | me() | (carrier ? WAITERS : 0U)))
                return 0;
        } else if ((w & OWNER) != me() || (w & TYPE) == 0) {
            return EBUSY;
        } else if ((w & TYPE) == ERRORCHECK) {
            return EDEADLK;
        } else if ((w & COUNT) == COUNT) {
            return EAGAIN;
        } else if (swap(mutex, raw, w + COUNT_ONE)) {
            return 0;
        }
    }
}

int pt_mutex_lock(pthread_mutex_t *mutex, uint64_t deadline, bool carrier, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_MUTEX, .object = mutex, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    struct mpj_waitq *q = mpj_sched_waitq();

    for (;;) {
        hal_irq_state s;
        uint32_t w;
        int r = try_lock(mutex, carrier);

        if (r != EBUSY)
            return r;
        if (!mpj_sched_can_wait())
            continue; /* the run is ending */
        w = word_of(mutex);
        if ((w & OWNER) == 0 || w == STATIC || ((w & WAITERS) == 0 && !swap(mutex, w, w | WAITERS)))
            continue;
        w |= WAITERS;
        s = mpj_sched_lock();
        mpj_waitq_announce(q, (uintptr_t)mutex);
        if (word_of(mutex) != w) {
            mpj_waitq_retract(q, (uintptr_t)mutex);
            mpj_sched_unlock(s);
            continue;
        }
        mpj_waitq_add(q, &self->wait, (uintptr_t)mutex, self->run.priority);
        info.owner = mpj_thread_owner_id(w & OWNER);
        r = mpj_sched_block_locked(&info, deadline, false);
        hal_irq_restore(s);
        if (r == -ETIMEDOUT)
            return ETIMEDOUT;
        if (r == -EINTR)
            mpj_thread_poll();
        carrier = true;
    }
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    uint32_t w = word_of(mutex);

    if ((w == 0 || w == STATIC) && swap(mutex, w, me()))
        return 0;
    return pt_mutex_lock(mutex, MPJ_NEVER, false, PT_CALLER());
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int r = try_lock(mutex, false);

    return r == EDEADLK ? EBUSY : r;
}

static int timed(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime,
                 const void *caller)
{
    uint64_t deadline;
    int r = try_lock(mutex, false);

    if (r != EBUSY)
        return r;
    r = pt_deadline(clock, abstime, &deadline);
    return r != 0 ? r : pt_mutex_lock(mutex, deadline, false, caller);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *abstime)
{
    return timed(mutex, CLOCK_REALTIME, abstime, PT_CALLER());
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime)
{
    return timed(mutex, clock, abstime, PT_CALLER());
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    uint32_t w = word_of(mutex);

    if (w == STATIC)
        return 0;
    if ((w & TYPE) != 0) {
        if ((w & OWNER) != me())
            return EPERM;
        if (pt_is_special(w))
            return pt_special_unlock(mutex);
        while ((w & COUNT) != 0) {
            if (__atomic_compare_exchange_n(mutex, &w, w - COUNT_ONE, false, __ATOMIC_RELEASE,
                                            __ATOMIC_RELAXED))
                return 0;
        }
    }
    w = __atomic_exchange_n(mutex, w & TYPE, __ATOMIC_RELEASE);
    if ((w & WAITERS) != 0)
        (void)mpj_rt_wake(mutex, 1);
    return 0;
}

int pt_mutex_check(const pthread_mutex_t *mutex)
{
    uint32_t w = word_of(mutex);

    return w != STATIC && (w & TYPE) != 0 && (w & OWNER) != me() ? EPERM : 0;
}

uint32_t pt_mutex_drop_locked(pthread_mutex_t *mutex)
{
    uint32_t w = word_of(mutex);
    uint32_t dropped = 0;
    struct mpj_waitq_node *n;

    if (w == STATIC)
        return 0;
    if (pt_is_special(w))
        dropped = pt_special_drop_locked(mutex);
    w = __atomic_exchange_n(mutex, kept(w), __ATOMIC_RELEASE);
    if ((w & WAITERS) != 0) {
        n = mpj_waitq_take(mpj_sched_waitq(), (uintptr_t)mutex);
        if (n != NULL)
            mpj_sched_wake_locked(mpj_thread_of_wait(n), 0);
    }
    return pt_is_special(w) ? dropped : w & COUNT;
}

void pt_mutex_restore(pthread_mutex_t *mutex, uint32_t dropped)
{
    if (pt_is_special(word_of(mutex)))
        pt_special_restore(mutex, dropped);
    else if (dropped != 0)
        __atomic_fetch_or(mutex, dropped, __ATOMIC_RELAXED);
}

bool pt_mutex_requeue_locked(pthread_mutex_t *mutex, struct mpj_thread *t, bool always)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_MUTEX, .object = mutex, .caller = t->info.caller};
    struct mpj_waitq *q = mpj_sched_waitq();
    uint32_t w;

    /* Announced before the flag is set: a thread that sees the flag reads the queue at once. */
    mpj_waitq_announce(q, (uintptr_t)mutex);
    do {
        w = word_of(mutex);
        if ((w & OWNER) == 0 || w == STATIC) {
            if (always)
                break;
            mpj_waitq_retract(q, (uintptr_t)mutex);
            return false;
        }
    } while (!swap(mutex, w, w | WAITERS));
    info.owner = w == STATIC ? 0 : mpj_thread_owner_id(w & OWNER);
    mpj_waitq_add(q, &t->wait, (uintptr_t)mutex, t->run.priority);
    mpj_sched_rename_wait_locked(t, &info);
    return true;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    uint32_t type = 0;

    if (attr != NULL) {
        if (!attr->is_initialized)
            return EINVAL;
        type = attr->type == PTHREAD_MUTEX_RECURSIVE    ? RECURSIVE
               : attr->type == PTHREAD_MUTEX_ERRORCHECK ? ERRORCHECK
                                                        : 0;
        if (attr->protocol == PTHREAD_PRIO_PROTECT || pt_attr_robust(attr))
            return pt_special_init(mutex, attr);
    }
    __atomic_store_n(mutex, type, __ATOMIC_RELEASE);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    uint32_t w = word_of(mutex);

    if (w != STATIC && (w & OWNER) != 0)
        return EBUSY;
    if (pt_is_special(w))
        pt_special_destroy(mutex);
    return 0;
}

/* ---- attributes ------------------------------------------------------------------ */

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
    *attr = (pthread_mutexattr_t){.is_initialized = 1, .type = PTHREAD_MUTEX_DEFAULT};
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    attr->is_initialized = 0;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *type = attr->type;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type)
{
    if (attr == NULL || !attr->is_initialized || type < PTHREAD_MUTEX_NORMAL ||
        type > PTHREAD_MUTEX_ADAPTIVE_NP)
        return EINVAL;
    attr->type = type;
    return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *shared = attr->process_shared;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared)
{
    if (attr == NULL || !attr->is_initialized || !pt_shared_ok(shared))
        return EINVAL;
    attr->process_shared = shared; /* there is one process */
    return 0;
}
