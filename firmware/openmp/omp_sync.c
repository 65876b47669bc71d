/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting: events, the lock word, critical and atomic regions. */
#include "omp_int.h"
#include <stddef.h>

/* Returns the polls that a wait of that kind has in addition because of the controller. */
static unsigned added(enum mpj_wait_kind kind)
{
    return kind == MPJ_WAIT_OMP_BARRIER || kind == MPJ_WAIT_OMP_IDLE ? omp_config.late : 0;
}

unsigned omp_spin_budget(enum mpj_wait_kind kind)
{
    /* Polling would only delay a thread that waits for this core. */
    if (mpj_rt_cores() == 1 || mpj_rt_oversubscribed())
        return 0;
    return omp_config.spin + added(kind);
}

void omp_wait_info(struct mpj_wait_info *info, enum mpj_wait_kind kind, const void *object,
                   const void *caller)
{
    info->kind = kind;
    info->object = object;
    info->owner = 0;
    info->caller = kind == MPJ_WAIT_OMP_IDLE ? NULL : omp_program_address(&omp_tls, caller);
}

void omp_spin_begin(struct omp_spin *poll, unsigned left, enum mpj_wait_kind kind,
                    const void *object, const void *caller)
{
    const unsigned brief = OMP_BRIEF + added(kind);

    poll->left = left;
    poll->next = left > brief ? left - brief : 0;
    poll->kind = kind;
    poll->object = object;
    poll->caller = caller;
    poll->owner = 0;
    mpj_rt_spin_enter(&poll->rt);
}

bool omp_spin_on(struct omp_spin *poll)
{
    struct mpj_wait_info info;
    if (poll->left == 0)
        return false;
    omp_wait_info(&info, poll->kind, poll->object, poll->caller);
    info.owner = poll->owner;
    if (!mpj_rt_spin_on(&poll->rt, &info))
        return false;
    poll->next = poll->left > OMP_POLLS ? poll->left - OMP_POLLS : 0;
    poll->left--;
    return true;
}

unsigned omp_spin_end(struct omp_spin *poll)
{
    mpj_rt_spin_leave(&poll->rt);
    return mpj_rt_oversubscribed() ? 0 : poll->left;
}

/*
 * Announces a sleeper. `sleepers` is raised before the waiter tests its condition for the last
 * time, and read by the signaller after it made the condition true: with both sequentially
 * consistent, either the waiter sees the condition or the signaller sees the sleeper. The sequence
 * number closes the gap between the test and going to sleep.
 */
uint32_t omp_event_prepare(struct omp_event *ev)
{
    __atomic_fetch_add(&ev->sleepers, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&ev->seq, __ATOMIC_SEQ_CST);
}

void omp_event_cancel(struct omp_event *ev)
{
    __atomic_fetch_sub(&ev->sleepers, 1, __ATOMIC_RELAXED);
}

void omp_event_sleep(struct omp_event *ev, uint32_t seq, enum mpj_wait_kind kind,
                     const void *object, const void *caller)
{
    struct mpj_wait_info info;
    omp_wait_info(&info, kind, object, caller);
    mpj_rt_wait(&ev->seq, seq, &info, UINT64_MAX);
    omp_event_cancel(ev);
}

void omp_event_signal(struct omp_event *ev, unsigned n)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ev->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    __atomic_fetch_add(&ev->seq, 1, __ATOMIC_SEQ_CST);
    mpj_rt_wake(&ev->seq, n);
}

/* Adds the time since `since` to a thread's waits, for the controller, and returns the time. For
 * use between polls: once the lock is free, or held, all who wait for it would wait for that, too.
 */
static uint32_t add_wait(uint32_t *waited, uint32_t since)
{
    const uint32_t now = mpj_adapt_clock();

    *waited += now - since;
    return now;
}

void omp_lock_slow(uint32_t *word, uint32_t id, enum mpj_wait_kind kind, const void *caller)
{
    uint32_t *const waited = omp_is_counted() ? &omp_tls.waited : NULL;
    uint32_t since = waited != NULL ? mpj_adapt_clock() : 0U;

    for (unsigned i = 0; waited == NULL && i < OMP_QUICK; i++) {
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 && omp_trylock(word, id))
            return;
    }
    for (unsigned spin = omp_spin_budget(kind); spin > 0;) {
        struct omp_spin poll;
        omp_spin_begin(&poll, spin, kind, word, caller);
        poll.owner = __atomic_load_n(word, __ATOMIC_RELAXED) & ~OMP_CONTENDED;
        while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0 && omp_spin(&poll)) {
            if (__builtin_expect(waited != NULL, 0))
                since = add_wait(waited, since);
        }
        spin = omp_spin_end(&poll);
        if (omp_trylock(word, id))
            return;
    }
    struct mpj_wait_info info;
    omp_wait_info(&info, kind, word, caller);
    for (;;) {
        uint32_t held = __atomic_load_n(word, __ATOMIC_RELAXED);
        if (held == 0) {
            /* Other threads may be asleep as well: keep the mark, or they would never be woken. */
            if (__atomic_compare_exchange_n(word, &held, id | OMP_CONTENDED, false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return;
            continue;
        }
        if (!(held & OMP_CONTENDED) &&
            !__atomic_compare_exchange_n(word, &held, held | OMP_CONTENDED, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        info.owner = held & ~OMP_CONTENDED;
        mpj_rt_wait(word, held | OMP_CONTENDED, &info, UINT64_MAX);
        if (waited != NULL)
            since = add_wait(waited, since);
    }
}

void omp_unlock_slow(uint32_t *word)
{
    mpj_rt_wake(word, 1);
}

/* ---- critical and atomic regions ------------------------------------------------ */

static uint32_t critical_lock __attribute__((aligned(OMP_LINE)));
static uint32_t atomic_lock __attribute__((aligned(OMP_LINE)));

void GOMP_critical_start(void)
{
    omp_lock(&critical_lock, omp_self()->id, MPJ_WAIT_OMP_CRITICAL, OMP_CALLER());
}

void GOMP_critical_end(void)
{
    omp_unlock(&critical_lock);
}

/* Takes the lock of a named critical region: the compiler gives every name a zeroed pointer-sized
 * object, whose first word is the lock. */
void GOMP_critical_name_start(void **pptr)
{
    omp_lock((uint32_t *)(void *)pptr, omp_self()->id, MPJ_WAIT_OMP_CRITICAL, OMP_CALLER());
}

void GOMP_critical_name_end(void **pptr)
{
    omp_unlock((uint32_t *)(void *)pptr);
}

void GOMP_atomic_start(void)
{
    omp_lock(&atomic_lock, omp_self()->id, MPJ_WAIT_OMP_CRITICAL, OMP_CALLER());
}

void GOMP_atomic_end(void)
{
    omp_unlock(&atomic_lock);
}
