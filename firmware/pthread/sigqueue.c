/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queue of pending signals. */
#include <limits.h>
#include <stddef.h>

#include "pt_int.h"
#include "sigs.h"

/* Details of a pending signal; without a note the signal is pending all the same. */
struct note {
    struct note *next;
    siginfo_t info;
    int *overrun;
};

static struct {
    sigset_t pending;
    void *queue;
} program;

static struct note notes[PT_SIGQUEUE_MAX];
static struct note *free_notes;
static unsigned used; /* later entries have never been used */

static struct note *new_note(void)
{
    struct note *n = free_notes;

    if (n != NULL)
        free_notes = n->next;
    else if (used < PT_SIGQUEUE_MAX)
        n = &notes[used++];
    return n;
}

static void put_back(struct note *n)
{
    n->next = free_notes;
    free_notes = n;
}

static sigset_t *pending_of(struct mpj_thread *t)
{
    return t != NULL ? &t->signals.pending : &program.pending;
}

static void **queue_of(struct mpj_thread *t)
{
    return t != NULL ? &t->signals.queue : &program.queue;
}

static struct note *find(struct mpj_thread *t, int sig)
{
    struct note *n = *queue_of(t);

    while (n != NULL && n->info.si_signo != sig)
        n = n->next;
    return n;
}

static void append(struct mpj_thread *t, struct note *n)
{
    struct note *last = *queue_of(t);

    n->next = NULL;
    if (last == NULL) {
        *queue_of(t) = n;
        return;
    }
    while (last->next != NULL)
        last = last->next;
    last->next = n;
}

static void unlink_note(struct mpj_thread *t, struct note *n)
{
    struct note *before = *queue_of(t);

    if (before == n) {
        *queue_of(t) = n->next;
        return;
    }
    while (before->next != n)
        before = before->next;
    before->next = n->next;
}

/* Returns the pending note of the same timer; NULL: none. */
static struct note *same_timer(struct mpj_thread *t, const siginfo_t *info)
{
    struct note *n = info->si_code == SI_TIMER ? *queue_of(t) : NULL;

    while (n != NULL && (n->info.si_code != SI_TIMER || n->info.si_timerid != info->si_timerid))
        n = n->next;
    return n;
}

bool mpj_sigq_put_locked(struct mpj_thread *t, const siginfo_t *info, int *overrun)
{
    const sigset_t bit = MPJ_SIG_BIT(info->si_signo);
    struct note *n = same_timer(t, info);

    if (n != NULL) {
        const unsigned more = (unsigned)info->si_overrun + 1U;

        n->info.si_overrun = more > (unsigned)(INT_MAX - n->info.si_overrun)
                                 ? INT_MAX
                                 : n->info.si_overrun + (int)more;
        return true;
    }
    if (info->si_signo < SIGRTMIN && (*pending_of(t) & bit) != 0)
        return true;
    n = new_note();
    if (n != NULL) {
        n->info = *info;
        n->overrun = overrun;
        append(t, n);
    } else if (info->si_code == SI_QUEUE && info->si_signo >= SIGRTMIN) {
        return false;
    }
    *pending_of(t) |= bit;
    return true;
}

int mpj_sigq_take_locked(struct mpj_thread *t, sigset_t set, siginfo_t *info)
{
    const sigset_t ready = mpj_sigq_pending(t) & set;
    struct mpj_thread *of;
    struct note *n;
    int sig;

    if (ready == 0)
        return 0;
    sig = __builtin_ctzll(ready);
    of = (t->signals.pending & MPJ_SIG_BIT(sig)) != 0 ? t : NULL;
    n = find(of, sig);
    if (info != NULL)
        *info = n != NULL ? n->info : (siginfo_t){.si_signo = sig, .si_code = SI_USER};
    if (n != NULL) {
        if (n->overrun != NULL)
            *n->overrun = n->info.si_overrun;
        unlink_note(of, n);
        put_back(n);
    }
    if (find(of, sig) == NULL)
        *pending_of(of) &= ~MPJ_SIG_BIT(sig);
    return sig;
}

sigset_t mpj_sigq_pending(const struct mpj_thread *t)
{
    return t->signals.pending | program.pending;
}

sigset_t mpj_sigq_of_program(void)
{
    return program.pending;
}

static void drop(struct mpj_thread *t, sigset_t set)
{
    struct note *n = *queue_of(t);

    while (n != NULL) {
        struct note *const next = n->next;

        if ((set & MPJ_SIG_BIT(n->info.si_signo)) != 0) {
            unlink_note(t, n);
            put_back(n);
        }
        n = next;
    }
    *pending_of(t) &= ~set;
}

void mpj_sigq_drop_thread_locked(struct mpj_thread *t)
{
    drop(t, ~(sigset_t)0);
}

void mpj_sigq_drop_locked(int sig)
{
    drop(NULL, MPJ_SIG_BIT(sig));
    for (unsigned i = 0; i < MPJ_THREADS_MAX; i++) {
        struct mpj_thread *const t = mpj_thread_by_slot(i);

        if (t != NULL && (t->signals.pending & MPJ_SIG_BIT(sig)) != 0)
            drop(t, MPJ_SIG_BIT(sig));
    }
}
