/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports a deadlock: every thread waits, and nothing is left that could wake one. Lists what each
 * thread waits for and which thread holds it. */
#include <stddef.h>

#include "core.h"
#include "mpj_fault.h"
#include "mpj_hooks.h"
#include "mpj_records.h"

#define TEXT_MAX 900U /* of one frame */

static const char *const kind_name[] = {
    [MPJ_WAIT_MUTEX] = "mutex",
    [MPJ_WAIT_COND] = "condition",
    [MPJ_WAIT_BARRIER] = "barrier",
    [MPJ_WAIT_JOIN] = "end of thread",
    [MPJ_WAIT_SEM] = "semaphore",
    [MPJ_WAIT_RWLOCK] = "rwlock",
    [MPJ_WAIT_ONCE] = "once",
    [MPJ_WAIT_SLEEP] = "sleep",
    [MPJ_WAIT_HOST] = "host",
    [MPJ_WAIT_OMP_BARRIER] = "OpenMP barrier",
    [MPJ_WAIT_OMP_CRITICAL] = "OpenMP critical section",
    [MPJ_WAIT_OMP_LOCK] = "OpenMP lock",
    [MPJ_WAIT_OMP_ORDERED] = "OpenMP ordered section",
    [MPJ_WAIT_OMP_TASK] = "OpenMP task",
    [MPJ_WAIT_OMP_IDLE] = "OpenMP work",
    [MPJ_WAIT_PIPE] = "pipe",
    [MPJ_WAIT_POLL] = "descriptors",
    [MPJ_WAIT_QUEUE] = "message queue",
};

struct text {
    char buf[TEXT_MAX];
    unsigned len;
};

static void put(struct text *t, const char *s)
{
    while (*s != '\0' && t->len < TEXT_MAX - 1U)
        t->buf[t->len++] = *s++;
}

static void put_number(struct text *t, uint32_t v)
{
    char digits[11];
    char *p = digits + sizeof(digits) - 1;

    *p = '\0';
    do {
        *--p = (char)('0' + v % 10U);
        v /= 10U;
    } while (v != 0);
    put(t, p);
}

static void put_address(struct text *t, const void *address)
{
    static const char hex[] = "0123456789abcdef";
    uint32_t v = (uint32_t)address;
    char buf[] = "0x00000000";

    for (unsigned i = 0; i < 8; i++)
        buf[2 + i] = hex[(v >> (28U - 4U * i)) & 15U];
    put(t, buf);
}

__attribute__((weak)) uint32_t mpj_sched_rwlock_holder(const void *lock, uint32_t waiter)
{
    (void)lock;
    (void)waiter;
    return 0;
}

/* Returns the id of the thread that holds what w waits for now: since the wait began, it may have
 * passed to another thread. */
static uint32_t holder(const struct mpj_thread *w)
{
    return w->info.kind == MPJ_WAIT_RWLOCK ? mpj_sched_rwlock_holder(w->info.object, w->id)
                                           : w->info.owner;
}

static void put_wait(struct text *t, const struct mpj_thread *w)
{
    unsigned kind = (unsigned)w->info.kind;
    const uint32_t owner = holder(w);

    put(t, "thread ");
    put_number(t, w->id);
    put(t, " waits for ");
    put(t, kind < sizeof(kind_name) / sizeof(kind_name[0]) && kind_name[kind] != NULL
               ? kind_name[kind]
               : "something");
    if (w->info.kind == MPJ_WAIT_JOIN) {
        put(t, " ");
        put_number(t, owner);
    } else {
        put(t, " ");
        put_address(t, w->info.object);
        if (owner != 0) {
            put(t, " held by thread ");
            put_number(t, owner);
        }
    }
    put(t, " at ");
    put_address(t, w->info.caller);
}

#define WAIT_TEXT 100U /* longest line */

static struct text text;

_Noreturn void mpj_sched_deadlock(void)
{
    unsigned left = 0;

    for (unsigned i = 0; i < MPJ_THREADS_MAX; i++) {
        const struct mpj_thread *t = mpj_sched.slot[i];

        if (t == NULL || t->state != MPJ_THREAD_BLOCKED)
            continue;
        if (text.len > TEXT_MAX - WAIT_TEXT - 20U) {
            left++;
            continue;
        }
        put(&text, text.len == 0 ? "" : "; ");
        put_wait(&text, t);
    }
    if (left > 0) {
        put(&text, "; and ");
        put_number(&text, left);
        put(&text, " more");
    }
    text.buf[text.len] = '\0';
    mpj_hooks.run_end();
    mpj_fatal(MPJ_TERR_DEADLOCK, mpj_sched.live, text.buf);
}
