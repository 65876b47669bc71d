/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read-write locks. Layout of the word:
 *   bit 31      threads wait
 *   bit 30      a writer holds the lock
 *   bits 23:12  slot + 1 of the writer, or of the reader that came last; 0: that one has left
 *   bits 11:0   number of readers that hold the lock
 *
 * All ones (the static initialiser) and zero are a free lock. While a writer waits, readers queue
 * after it, except those that already hold a lock for reading or have a higher priority than every
 * waiting writer. The last holder passes the lock to the waiter with the highest priority; among
 * equals, a writer passes it to all waiting readers, readers to the first waiting writer.
 */
#include <errno.h>

#include "pt_int.h"

#define WAITERS      0x80000000U
#define WRITER       0x40000000U
#define SLOT_SHIFT   12U
#define SLOT         (0xfffU << SLOT_SHIFT)
#define READERS      0xfffU
#define STATIC       0xffffffffU
#define READ_KEY(l)  PT_KEY(l, 1U)
#define WRITE_KEY(l) PT_KEY(l, 2U)

static uint32_t slot_bits(const struct mpj_thread *t)
{
    return (t->slot + 1U) << SLOT_SHIFT;
}

static uint32_t word_of(const pthread_rwlock_t *lock)
{
    uint32_t w = __atomic_load_n(lock, __ATOMIC_RELAXED);

    return w == STATIC ? 0 : w;
}

/* Replaces the word if it is `from`; a `from` of 0 also matches the static initialiser. */
static bool swap(pthread_rwlock_t *lock, uint32_t from, uint32_t to)
{
    uint32_t is = STATIC;

    if (__atomic_compare_exchange_n(lock, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return true;
    return from == STATIC && to != 0 &&
           __atomic_compare_exchange_n(lock, &is, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Notes the lock as held for reading, for reports and for readers that lock it again. */
static inline void note_read(struct mpj_thread *t, const pthread_rwlock_t *lock)
{
    const unsigned n = t->read_locks;

    t->read_locks = (uint16_t)(n + 1U);
    if (n < MPJ_READ_HELD)
        t->read_held[n] = lock;
}

/* Forgets a lock that is not the last one noted, which moves to its entry. */
static __attribute__((noinline)) void forget_earlier(struct mpj_thread *t,
                                                     const pthread_rwlock_t *lock, unsigned last)
{
    unsigned i = last;

    while (t->read_held[i] != lock && i > 0)
        i--;
    t->read_held[i] = t->read_held[last];
}

static inline void forget_read(struct mpj_thread *t, const pthread_rwlock_t *lock)
{
    const unsigned n = t->read_locks;

    if (n == 0)
        return; /* another thread has locked it */
    t->read_locks = (uint16_t)(n - 1U);
    if (n <= MPJ_READ_HELD && t->read_held[n - 1U] != lock)
        forget_earlier(t, lock, n - 1U);
}

/* Returns the first of the waiters with the highest priority; NULL: no thread waits. Scheduler's
 * lock held. */
static struct mpj_thread *first_waiter(uintptr_t key)
{
    struct mpj_waitq_node *n = mpj_waitq_first(mpj_sched_waitq(), key);

    return n == NULL ? NULL : mpj_thread_of_wait(n);
}

/* True if the caller need not queue after the waiting writers. Scheduler's lock held. */
static bool passes_writers(pthread_rwlock_t *lock)
{
    const struct mpj_thread *writer = first_waiter(WRITE_KEY(lock));

    return writer == NULL || writer->run.priority < mpj_thread_self()->run.priority;
}

static bool take_read(pthread_rwlock_t *lock, bool passes)
{
    struct mpj_thread *self = mpj_thread_self();
    uint32_t w;

    do {
        w = word_of(lock);
        if ((w & WRITER) != 0 || (w & READERS) == READERS ||
            ((w & WAITERS) != 0 && self->read_locks == 0 && !passes))
            return false;
    } while (!swap(lock, w, ((w & ~SLOT) | slot_bits(self)) + 1U));
    note_read(self, lock);
    return true;
}

static bool take_write(pthread_rwlock_t *lock)
{
    return word_of(lock) == 0 && swap(lock, 0, WRITER | slot_bits(mpj_thread_self()));
}

/* Gives a lock that may be free, or that a waiter has given up, to the waiters it belongs to.
 * Scheduler's lock held; while there are waiters the word changes only under it, except for readers
 * that come and go. */
static void hand_on(pthread_rwlock_t *lock, bool writer_left)
{
    struct mpj_waitq *q = mpj_sched_waitq();

    for (;;) {
        struct mpj_thread *reader = first_waiter(READ_KEY(lock));
        struct mpj_thread *writer = first_waiter(WRITE_KEY(lock));
        uint32_t w = word_of(lock);
        bool read = reader != NULL;

        if ((w & WRITER) != 0)
            return;
        if (read && writer != NULL)
            read = reader->run.priority > writer->run.priority ||
                   (writer_left && reader->run.priority == writer->run.priority);
        if (read) {
            mpj_waitq_remove(q, &reader->wait);
            do
                w = word_of(lock);
            while (!swap(lock, w, ((w & ~SLOT) | slot_bits(reader) | WAITERS) + 1U));
            note_read(reader, lock);
            mpj_sched_wake_locked(reader, 0);
            continue;
        }
        if (writer != NULL && (w & READERS) == 0) {
            mpj_waitq_remove(q, &writer->wait);
            w = WRITER | slot_bits(writer);
            if (reader != NULL || mpj_waitq_has(q, WRITE_KEY(lock)))
                w |= WAITERS;
            __atomic_store_n(lock, w, __ATOMIC_RELEASE);
            mpj_sched_wake_locked(writer, 0);
            return;
        }
        if (writer != NULL || (w & WAITERS) == 0 || swap(lock, w, w & ~WAITERS))
            return;
    }
}

/* Waits for the lock once. Returns 0, ETIMEDOUT or -EINTR. */
static int wait_once(pthread_rwlock_t *lock, bool write, uint64_t deadline, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_RWLOCK, .object = lock, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    struct mpj_waitq *q = mpj_sched_waitq();
    hal_irq_state s = mpj_sched_lock();
    uint32_t w;
    int r;

    /* Once the flag is set, an unlocking thread needs the scheduler's lock, which this one
     * holds. */
    do {
        w = word_of(lock);
        if (write ? take_write(lock) : take_read(lock, passes_writers(lock))) {
            mpj_sched_unlock(s);
            return 0;
        }
    } while (w == 0 || !swap(lock, w, w | WAITERS));
    mpj_waitq_announce(q, write ? WRITE_KEY(lock) : READ_KEY(lock));
    mpj_waitq_add(q, &self->wait, write ? WRITE_KEY(lock) : READ_KEY(lock), self->run.priority);
    info.owner = mpj_thread_owner_id((w & SLOT) >> SLOT_SHIFT);
    r = mpj_sched_block_locked(&info, deadline, false);
    if (r != 0) {
        /* Some readers may have waited only for this writer. */
        (void)mpj_sched_lock();
        hand_on(lock, false);
        mpj_sched_unlock(s);
        return r == -ETIMEDOUT ? ETIMEDOUT : r;
    }
    hal_irq_restore(s);
    return 0;
}

static int wait_for(pthread_rwlock_t *lock, bool write, uint64_t deadline, const void *caller)
{
    int r;

    while ((r = wait_once(lock, write, deadline, caller)) == -EINTR)
        mpj_thread_poll();
    return r;
}

static int owns_to_write(const pthread_rwlock_t *lock)
{
    uint32_t w = word_of(lock);

    return (w & WRITER) != 0 && (w & SLOT) == slot_bits(mpj_thread_self());
}

static int lock_it(pthread_rwlock_t *lock, bool write, uint64_t deadline, const void *caller)
{
    if (write ? take_write(lock) : take_read(lock, false))
        return 0;
    if (owns_to_write(lock))
        return EDEADLK;
    if ((word_of(lock) & READERS) == READERS)
        return EAGAIN;
    return wait_for(lock, write, deadline, caller);
}

static int timed(pthread_rwlock_t *lock, bool write, clockid_t clock,
                 const struct timespec *abstime, const void *caller)
{
    uint64_t deadline;
    int r;

    if (write ? take_write(lock) : take_read(lock, false))
        return 0;
    r = pt_deadline(clock, abstime, &deadline);
    return r != 0 ? r : lock_it(lock, write, deadline, caller);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return lock_it(lock, false, MPJ_NEVER, PT_CALLER());
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return lock_it(lock, true, MPJ_NEVER, PT_CALLER());
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    bool taken = take_read(lock, false);
    hal_irq_state s;

    if (!taken && mpj_thread_self()->run.priority != 0) {
        s = mpj_sched_lock();
        taken = take_read(lock, passes_writers(lock));
        mpj_sched_unlock(s);
    }
    return taken ? 0 : EBUSY;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return take_write(lock) ? 0 : EBUSY;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *abstime)
{
    return timed(lock, false, CLOCK_REALTIME, abstime, PT_CALLER());
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *abstime)
{
    return timed(lock, false, clock, abstime, PT_CALLER());
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *abstime)
{
    return timed(lock, true, CLOCK_REALTIME, abstime, PT_CALLER());
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *abstime)
{
    return timed(lock, true, clock, abstime, PT_CALLER());
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct mpj_thread *self = mpj_thread_self();
    uint32_t w = word_of(lock), left;
    hal_irq_state s;

    if ((w & WRITER) != 0 && (w & SLOT) != slot_bits(self))
        return EPERM;
    if ((w & (WRITER | READERS)) == 0)
        return EPERM;
    if ((w & WRITER) == 0)
        forget_read(self, lock);
    do {
        w = word_of(lock);
        left = (w & WRITER) != 0 ? 0 : (w & ~WAITERS) - 1U;
        if ((left & SLOT) == slot_bits(self))
            left &= ~SLOT;
        if ((left & READERS) == 0)
            left = 0;
        left |= w & WAITERS;
    } while (!swap(lock, w, left));
    if ((left & WAITERS) == 0 || (left & READERS) != 0)
        return 0;
    s = mpj_sched_lock();
    hand_on(lock, (w & WRITER) != 0);
    mpj_sched_unlock(s);
    return 0;
}

static bool holds_to_read(const struct mpj_thread *t, const void *lock)
{
    for (unsigned i = 0; i < t->read_locks && i < MPJ_READ_HELD; i++) {
        if (t->read_held[i] == lock)
            return true;
    }
    return false;
}

uint32_t mpj_sched_rwlock_holder(const void *lock, uint32_t waiter)
{
    const uint32_t w = word_of(lock);
    uint32_t id = 0;

    if ((w & WRITER) != 0)
        return mpj_thread_owner_id((w & SLOT) >> SLOT_SHIFT);
    for (unsigned i = 0; i < MPJ_THREADS_MAX && (id == 0 || id == waiter); i++) {
        const struct mpj_thread *const t = mpj_thread_by_slot(i);

        if (t != NULL && holds_to_read(t, lock))
            id = t->id;
    }
    return id;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)
{
    if (attr != NULL && !attr->is_initialized)
        return EINVAL;
    __atomic_store_n(lock, 0U, __ATOMIC_RELEASE);
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    return word_of(lock) != 0 ? EBUSY : 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr)
{
    *attr = (pthread_rwlockattr_t){.is_initialized = 1};
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    attr->is_initialized = 0;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *shared = attr->process_shared;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared)
{
    if (attr == NULL || !attr->is_initialized || !pt_shared_ok(shared))
        return EINVAL;
    attr->process_shared = shared;
    return 0;
}

/* The kind is kept above the mark of initialised attributes. */
#define KIND_SHIFT 8

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind)
{
    if (attr == NULL || !attr->is_initialized || kind < PTHREAD_RWLOCK_PREFER_READER_NP ||
        kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return EINVAL;
    attr->is_initialized = 1 | kind << KIND_SHIFT;
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *kind = attr->is_initialized >> KIND_SHIFT;
    return 0;
}
