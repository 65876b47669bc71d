/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp_lock_t and omp_nest_lock_t. */
#include "omp.h"
#include "omp_int.h"
#include <stddef.h>

void omp_init_lock(omp_lock_t *lock)
{
    lock->__word = 0;
}

void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    lock->__word = 0;
}

void omp_destroy_lock(omp_lock_t *lock)
{
    (void)lock;
}

void omp_set_lock(omp_lock_t *lock)
{
    omp_lock(&lock->__word, omp_self()->id, MPJ_WAIT_OMP_LOCK, OMP_CALLER());
}

void omp_unset_lock(omp_lock_t *lock)
{
    omp_unlock(&lock->__word);
}

int omp_test_lock(omp_lock_t *lock)
{
    return omp_trylock(&lock->__word, omp_self()->id);
}

void omp_init_nest_lock(omp_nest_lock_t *lock)
{
    lock->__word = 0;
    lock->__count = 0;
    lock->__owner = NULL;
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_nest_lock(lock);
}

void omp_destroy_nest_lock(omp_nest_lock_t *lock)
{
    (void)lock;
}

/* True if the task owns the lock. Other tasks may read __owner while it changes, but can never read
 * themselves there unless they are the owner. */
static bool nest_owned(omp_nest_lock_t *lock, const struct omp_thread *thr)
{
    return __atomic_load_n(&lock->__owner, __ATOMIC_RELAXED) == thr->s.task;
}

static void nest_taken(omp_nest_lock_t *lock, struct omp_thread *thr)
{
    __atomic_store_n(&lock->__owner, thr->s.task, __ATOMIC_RELAXED);
    lock->__count = 1;
}

void omp_set_nest_lock(omp_nest_lock_t *lock)
{
    struct omp_thread *thr = omp_self();
    if (nest_owned(lock, thr)) {
        lock->__count++;
        return;
    }
    omp_lock(&lock->__word, thr->id, MPJ_WAIT_OMP_LOCK, OMP_CALLER());
    nest_taken(lock, thr);
}

void omp_unset_nest_lock(omp_nest_lock_t *lock)
{
    if (--lock->__count > 0)
        return;
    __atomic_store_n(&lock->__owner, NULL, __ATOMIC_RELAXED);
    omp_unlock(&lock->__word);
}

int omp_test_nest_lock(omp_nest_lock_t *lock)
{
    struct omp_thread *thr = omp_self();
    if (nest_owned(lock, thr))
        return ++lock->__count;
    if (!omp_trylock(&lock->__word, thr->id))
        return 0;
    nest_taken(lock, thr);
    return 1;
}
