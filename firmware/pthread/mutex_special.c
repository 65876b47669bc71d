/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutexes with a priority ceiling (PTHREAD_PRIO_PROTECT): the holder's priority is at least the
 * ceiling. And robust mutexes: after a thread ended that held one, the next to lock it gets
 * EOWNERDEAD. Both are rare and have a record of their own, whose number is in 17 bits of the word,
 * in place of the lock count.
 */
#include <errno.h>
#include <stdlib.h>

#include "pt_int.h"

#define WAITERS      0x80000000U
#define NUMBER_SHIFT 12U
#define NUMBER       0x1ffff000U
#define OWNER        0x00000fffU
#define RECORDS      4096U

enum health { SOUND, OWNER_DIED, LOST };

struct special {
    pthread_mutex_t *mutex;
    struct mpj_thread *owner; /* NULL: none, or the owner waits for a condition */
    struct special *next;     /* the owner's next record */
    uint32_t count;           /* locks beyond the first */
    int type;
    bool protects, robust;
    uint8_t ceiling;
    uint8_t base; /* the owner's priority without ceilings */
    enum health health;
};

/* Changed only with the scheduler's lock held. */
static struct special *record[RECORDS];
static unsigned free_from;                    /* all numbers below have a record */
static struct special *held[MPJ_THREADS_MAX]; /* by the holder's slot */

/* Returns the record of a special mutex. */
static struct special *of(const pthread_mutex_t *mutex)
{
    return record[(__atomic_load_n(mutex, __ATOMIC_RELAXED) & NUMBER) >> NUMBER_SHIFT];
}

/* Returns the record of any mutex; NULL: the mutex is not special. */
static struct special *record_of(const pthread_mutex_t *mutex)
{
    return pt_is_special(__atomic_load_n(mutex, __ATOMIC_RELAXED)) ? of(mutex) : NULL;
}

/* ---- ceilings: scheduler's lock held ---------------------------------------------- */

/* Returns the highest ceiling of the mutexes that t holds, 0 if it holds none; sets *base to the
 * thread's base priority in the former case. */
static unsigned highest(const struct mpj_thread *t, unsigned *base)
{
    unsigned most = 0;

    for (const struct special *r = held[t->slot]; r != NULL; r = r->next) {
        if (!r->protects)
            continue;
        *base = r->base;
        most = r->ceiling > most ? r->ceiling : most;
    }
    return most;
}

unsigned pt_special_base_locked(const struct mpj_thread *t)
{
    unsigned base = t->run.priority;

    (void)highest(t, &base);
    return base;
}

unsigned pt_special_rebase_locked(const struct mpj_thread *t, unsigned base)
{
    unsigned before;
    const unsigned most = highest(t, &before);

    for (struct special *r = held[t->slot]; r != NULL; r = r->next)
        r->base = (uint8_t)base;
    return most > base ? most : base;
}

/* Removes the record from its owner's list, if it has an owner. */
static void unlink_locked(struct special *r)
{
    struct special **at = r->owner != NULL ? &held[r->owner->slot] : NULL;

    while (at != NULL && *at != r)
        at = &(*at)->next;
    if (at != NULL)
        *at = r->next;
    r->owner = NULL;
}

static void link_locked(struct special *r, struct mpj_thread *owner)
{
    r->owner = owner;
    r->next = held[owner->slot];
    held[owner->slot] = r;
}

/* Makes the calling thread the owner, or releases the mutex. Returns the priority that the thread
 * is to have now. */
static unsigned owned_locked(struct special *r, bool now)
{
    struct mpj_thread *const self = mpj_thread_self();
    unsigned base = pt_special_base_locked(self);
    unsigned most;

    unlink_locked(r);
    if (now)
        link_locked(r, self);
    r->base = (uint8_t)base;
    most = highest(self, &base);
    return most > base ? most : base;
}

static void set_priority(unsigned priority)
{
    struct mpj_thread *const self = mpj_thread_self();

    if (priority != self->run.priority)
        mpj_thread_set(self, priority, self->run.affinity, self->slices);
}

static unsigned owned(struct special *r, bool now)
{
    hal_irq_state s = mpj_sched_lock();
    const unsigned priority = owned_locked(r, now);

    mpj_sched_unlock(s);
    return priority;
}

/* ---- locking ---------------------------------------------------------------------- */

static int again(struct special *r)
{
    if (r->type == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    if (r->type != PTHREAD_MUTEX_RECURSIVE)
        return EBUSY;
    if (r->count == UINT16_MAX)
        return EAGAIN;
    r->count++;
    return 0;
}

static bool too_urgent(const struct special *r)
{
    hal_irq_state s;
    bool is;

    if (!r->protects)
        return false;
    s = mpj_sched_lock();
    is = pt_special_base_locked(mpj_thread_self()) > r->ceiling;
    mpj_sched_unlock(s);
    return is;
}

int pt_special_try(pthread_mutex_t *mutex, bool carrier)
{
    const uint32_t me = mpj_thread_self()->slot + 1U;
    struct special *const r = of(mutex);
    uint32_t w = __atomic_load_n(mutex, __ATOMIC_RELAXED);

    if (too_urgent(r))
        return EINVAL;
    do {
        if (r->health == LOST)
            return ENOTRECOVERABLE;
        if ((w & OWNER) == me)
            return again(r);
        if ((w & OWNER) != 0)
            return EBUSY;
    } while (!__atomic_compare_exchange_n(mutex, &w, w | me | (carrier ? WAITERS : 0U), false,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    r->count = 0;
    set_priority(owned(r, true));
    return r->health == OWNER_DIED ? EOWNERDEAD : 0;
}

static void let_go(pthread_mutex_t *mutex, unsigned woken)
{
    const uint32_t w = __atomic_fetch_and(mutex, ~(WAITERS | OWNER), __ATOMIC_RELEASE);

    if ((w & WAITERS) != 0)
        (void)mpj_rt_wake(mutex, woken);
}

int pt_special_unlock(pthread_mutex_t *mutex)
{
    struct special *const r = of(mutex);
    unsigned priority;

    if (r->count != 0) {
        r->count--;
        return 0;
    }
    if (r->health == OWNER_DIED)
        r->health = LOST;
    priority = owned(r, false); /* while the mutex is still held */
    let_go(mutex, r->health == LOST ? ~0U : 1U);
    set_priority(priority);
    return 0;
}

uint32_t pt_special_drop_locked(pthread_mutex_t *mutex)
{
    struct special *const r = of(mutex);

    mpj_thread_self()->run.priority = (uint8_t)owned_locked(r, false);
    return r->count;
}

void pt_special_restore(pthread_mutex_t *mutex, uint32_t dropped)
{
    of(mutex)->count = dropped;
}

/* Removes a record from the calling thread's list and returns it; NULL: the list is empty. */
static struct special *leave_one(void)
{
    hal_irq_state s = mpj_sched_lock();
    struct special *const r = held[mpj_thread_self()->slot];

    if (r != NULL)
        unlink_locked(r);
    mpj_sched_unlock(s);
    return r;
}

void pt_special_leave(void)
{
    struct special *r;

    while ((r = leave_one()) != NULL) {
        if (!r->robust)
            continue; /* stays locked for ever */
        r->health = OWNER_DIED;
        let_go(r->mutex, 1);
    }
}

int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    struct special *const r = record_of(mutex);

    if (r == NULL || r->owner != mpj_thread_self() || r->health != OWNER_DIED)
        return EINVAL;
    r->health = SOUND;
    return 0;
}

/* ---- initialisation --------------------------------------------------------------- */

int pt_special_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    struct special *const r = malloc(sizeof(*r));
    unsigned n;
    hal_irq_state s;

    if (r == NULL)
        return ENOMEM;
    *r = (struct special){.mutex = mutex,
                          .type = attr->type,
                          .protects = attr->protocol == PTHREAD_PRIO_PROTECT,
                          .robust = pt_attr_robust(attr),
                          .ceiling = (uint8_t)(attr->prio_ceiling > 0 ? attr->prio_ceiling : 1)};
    s = mpj_sched_lock();
    for (n = free_from; n < RECORDS && record[n] != NULL; n++)
        ;
    free_from = n;
    if (n == RECORDS) {
        mpj_sched_unlock(s);
        free(r);
        return ENOMEM;
    }
    record[n] = r;
    mpj_sched_unlock(s);
    __atomic_store_n(mutex, PT_SPECIAL | n << NUMBER_SHIFT, __ATOMIC_RELEASE);
    return 0;
}

void pt_special_destroy(pthread_mutex_t *mutex)
{
    const unsigned n = (*mutex & NUMBER) >> NUMBER_SHIFT;
    struct special *const r = record[n];
    hal_irq_state s = mpj_sched_lock();

    record[n] = NULL;
    free_from = n < free_from ? n : free_from;
    mpj_sched_unlock(s);
    free(r);
    *mutex = 0;
}

/* ---- attributes ------------------------------------------------------------------- */

/* Sets the protocol. With PTHREAD_PRIO_INHERIT the owner's priority is never raised, which has no
 * effect while all threads have the same priority. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
    if (attr == NULL || !attr->is_initialized ||
        (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_INHERIT &&
         protocol != PTHREAD_PRIO_PROTECT))
        return EINVAL;
    attr->protocol = protocol;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *protocol = attr->protocol;
    return 0;
}

static bool is_ceiling(int ceiling)
{
    return ceiling >= 1 && ceiling <= (int)MPJ_PRIORITY_MAX;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling)
{
    if (attr == NULL || !attr->is_initialized || !is_ceiling(ceiling))
        return EINVAL;
    attr->prio_ceiling = ceiling;
    return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *ceiling = attr->prio_ceiling > 0 ? attr->prio_ceiling : 1;
    return 0;
}

/* Returns the record of a mutex with a priority ceiling; NULL: the mutex has no ceiling. */
static struct special *with_ceiling(const pthread_mutex_t *mutex)
{
    struct special *const r = record_of(mutex);

    return r != NULL && r->protects ? r : NULL;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict mutex, int *ceiling)
{
    const struct special *const r = with_ceiling(mutex);

    if (r == NULL)
        return EINVAL;
    *ceiling = r->ceiling;
    return 0;
}

/* Sets the ceiling. Locks the mutex during the change, whatever the caller's priority. */
int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
    struct special *const r = with_ceiling(mutex);
    uint8_t before;
    int e;

    if (r == NULL || !is_ceiling(ceiling))
        return EINVAL;
    before = r->ceiling;
    r->ceiling = MPJ_PRIORITY_MAX;
    e = pt_mutex_lock(mutex, MPJ_NEVER, false, PT_CALLER());
    r->ceiling = e == 0 ? (uint8_t)ceiling : before;
    if (e != 0)
        return e;
    if (old != NULL)
        *old = before;
    return pthread_mutex_unlock(mutex);
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust)
{
    if (attr == NULL || !attr->is_initialized ||
        (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST))
        return EINVAL;
    attr->recursive = robust;
    return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust)
{
    if (attr == NULL || !attr->is_initialized)
        return EINVAL;
    *robust = attr->recursive;
    return 0;
}
