/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends, handles and waits for signals. A signal for a thread that does not block it interrupts the
 * thread wherever it is (mpj_thread_interrupt_locked()), and the handler runs in its context. A
 * signal for the program interrupts main, or else another thread that does not block it; one that
 * every thread blocks stays pending.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "mpj.h"
#include "mpj_target_run.h"
#include "pt_int.h"
#include "sigs.h"

#define NS_PER_S 1000000000U

static int fail(int error)
{
    errno = error;
    return -1;
}

/* ---- handling: in the calling thread --------------------------------------------- */

/* Calls fn(a, b, c) with this stack pointer. */
static __attribute__((naked)) void
call_on_stack(__attribute__((unused)) int a, __attribute__((unused)) siginfo_t *b,
              __attribute__((unused)) void *c,
              __attribute__((unused)) void (*fn)(int a, siginfo_t *b, void *c),
              __attribute__((unused)) uintptr_t top)
{
    __asm__ volatile("push {r4, lr}\n\t"
                     "ldr ip, [sp, #8]\n\t"
                     "mov r4, sp\n\t"
                     "mov sp, ip\n\t"
                     "blx r3\n\t"
                     "mov sp, r4\n\t"
                     "pop {r4, pc}");
}

static bool on_stack(const struct mpj_thread_signals *signals)
{
    const uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

    return signals->stack != 0 && sp - signals->stack < signals->stack_size;
}

static void call(const struct mpj_thread_signals *signals, const struct sigaction *act,
                 siginfo_t *info)
{
    if ((act->sa_flags & SA_ONSTACK) != 0 && signals->stack != 0 && !on_stack(signals))
        call_on_stack(info->si_signo, info, NULL, act->sa_sigaction,
                      (signals->stack + signals->stack_size) & ~(uintptr_t)7U);
    else /* SA_SIGINFO or not: a handler ignores arguments that it does not have */
        act->sa_sigaction(info->si_signo, info, NULL);
}

static bool lets_in(const struct mpj_thread *t)
{
    return (mpj_sigq_pending(t) & ~t->signals.blocked) != 0;
}

static void handle(struct mpj_thread *self, const struct sigaction *act, siginfo_t *info,
                   sigset_t blocked)
{
    hal_irq_state s;

    pt_signals_deliver(); /* signals that this handler's mask does not block nest here */
    self->signals.handled++;
    if ((act->sa_flags & SA_RESTART) == 0)
        self->signals.broken++;
    call(&self->signals, act, info);
    s = mpj_sched_lock();
    self->signals.blocked = blocked;
    mpj_sched_unlock(s);
}

void pt_signals_deliver(void)
{
    struct mpj_thread *self = mpj_thread_self();

    while (lets_in(self)) {
        hal_irq_state s = mpj_sched_lock();
        const sigset_t blocked = self->signals.blocked;
        siginfo_t info;
        const int sig = mpj_sigq_take_locked(self, ~blocked, &info);
        const enum mpj_sig_fate fate = sig != 0 ? mpj_sig_fate(sig) : MPJ_SIG_IGNORED;
        struct sigaction act;

        if (fate == MPJ_SIG_HANDLED) {
            act = mpj_sig_take_action(sig);
            self->signals.blocked |= act.sa_mask & ~MPJ_SIG_UNBLOCKABLE;
            if ((act.sa_flags & SA_NODEFER) == 0)
                self->signals.blocked |= MPJ_SIG_BIT(sig);
        }
        mpj_sched_unlock(s);
        if (fate == MPJ_SIG_ENDS)
            mpj_run_exit(128 + sig, MPJ_END_ABORT);
        if (fate == MPJ_SIG_HANDLED)
            handle(self, &act, &info, blocked);
    }
}

/* ---- sending --------------------------------------------------------------------- */

static bool takes(const struct mpj_thread *t, int sig)
{
    return t != NULL && t->id != 0 && t->state != MPJ_THREAD_FREE && t->state != MPJ_THREAD_DEAD &&
           !t->signals.leaves && (t->signals.blocked & MPJ_SIG_BIT(sig)) == 0;
}

static bool waits_for(const struct mpj_thread *t, int sig)
{
    return t != NULL && t->state == MPJ_THREAD_BLOCKED &&
           (t->signals.waits_for & MPJ_SIG_BIT(sig)) != 0;
}

/* Returns the first thread that `is` accepts: main, then in the order of slots; NULL: none. Lock
 * held: stops at the last live thread. */
static struct mpj_thread *first(int sig, bool (*is)(const struct mpj_thread *t, int sig))
{
    unsigned left = mpj_thread_live_locked();

    for (unsigned i = 0; left > 0 && i < MPJ_THREADS_MAX; i++) {
        struct mpj_thread *const t = mpj_thread_by_slot(i);

        if (is(t, sig))
            return t;
        if (t != NULL && t->state != MPJ_THREAD_FREE && t->state != MPJ_THREAD_DEAD)
            left--;
    }
    return NULL;
}

static void interrupt(struct mpj_thread *t)
{
    if (t != mpj_thread_self())
        mpj_thread_interrupt_locked(t, pt_interrupted);
}

/* Makes other threads check for the program's signals that this one no longer takes. */
static void pass_on_locked(void)
{
    sigset_t left = mpj_sigq_of_program();

    for (; left != 0; left &= left - 1U) {
        struct mpj_thread *const t = first(__builtin_ctzll(left), takes);

        if (t != NULL)
            interrupt(t);
    }
}

/* Sends a signal. Lock held; returns without it. */
static int send_locked(struct mpj_thread *t, const siginfo_t *info, int *overrun, hal_irq_state s)
{
    const int sig = info->si_signo;
    struct mpj_thread *const waiter =
        t == NULL ? first(sig, waits_for) : (waits_for(t, sig) ? t : NULL);
    struct mpj_thread *const taker = t == NULL ? first(sig, takes) : (takes(t, sig) ? t : NULL);
    const enum mpj_sig_fate fate =
        waiter != NULL || taker == NULL ? MPJ_SIG_HANDLED : mpj_sig_fate(sig);
    bool sent = true;

    if (fate == MPJ_SIG_HANDLED && (t == NULL || t->state != MPJ_THREAD_DEAD))
        sent = mpj_sigq_put_locked(t, info, overrun);
    if (waiter != NULL) {
        waiter->signals.waits_for = 0;
        mpj_sched_wake_locked(waiter, 0);
    } else if (fate == MPJ_SIG_HANDLED && taker != NULL) {
        interrupt(taker);
    }
    mpj_sched_unlock(s);
    if (fate == MPJ_SIG_ENDS)
        mpj_run_exit(128 + sig, MPJ_END_ABORT);
    if (taker == mpj_thread_self()) /* else the interrupted thread handles it */
        pt_signals_deliver();
    return sent ? 0 : EAGAIN;
}

int mpj_sig_send(struct mpj_thread *t, const siginfo_t *info, int *overrun)
{
    return send_locked(t, info, overrun, mpj_sched_lock());
}

bool mpj_thread_trap(int sig, int code)
{
    const siginfo_t info = mpj_sig_info(sig, code);
    struct mpj_thread *self = mpj_thread_self();
    hal_irq_state s = mpj_sched_lock();

    if (!takes(self, sig) || mpj_sig_fate(sig) != MPJ_SIG_HANDLED) {
        mpj_sched_unlock(s);
        return false;
    }
    (void)send_locked(self, &info, NULL, s);
    return true;
}

void pt_signals_leave(void)
{
    struct mpj_thread *self = mpj_thread_self();
    hal_irq_state s = mpj_sched_lock();

    self->signals.leaves = true;
    mpj_sigq_drop_thread_locked(self);
    pass_on_locked();
    mpj_sched_unlock(s);
}

siginfo_t mpj_sig_info(int sig, int code)
{
    return (siginfo_t){.si_signo = sig, .si_code = code, .si_pid = getpid(), .si_uid = 0};
}

int kill(pid_t pid, int sig)
{
    const siginfo_t info = mpj_sig_info(sig, SI_USER);

    if (sig != 0 && !mpj_sig_valid(sig))
        return fail(EINVAL);
    if (pid != 0 && pid != -1 && pid != getpid() && pid != -getpid())
        return fail(ESRCH);
    if (sig != 0)
        (void)mpj_sig_send(NULL, &info, NULL);
    return 0;
}

int killpg(pid_t group, int sig)
{
    return group < 0 ? fail(EINVAL) : kill(-group, sig);
}

int sigqueue(pid_t pid, int sig, const union sigval value)
{
    siginfo_t info = mpj_sig_info(sig, SI_QUEUE);
    int r;

    if (sig != 0 && !mpj_sig_valid(sig))
        return fail(EINVAL);
    if (pid != getpid())
        return fail(ESRCH);
    info.si_value = value;
    r = sig != 0 ? mpj_sig_send(NULL, &info, NULL) : 0;
    return r != 0 ? fail(r) : 0;
}

/* Sends a signal to the thread of a handle; signal 0 only checks that the thread exists. */
static int send_to(pthread_t handle, const siginfo_t *info)
{
    hal_irq_state s = mpj_sched_lock();
    struct mpj_thread *t = pt_find_locked(handle);

    if (t != NULL && mpj_sig_valid(info->si_signo))
        return send_locked(t, info, NULL, s);
    mpj_sched_unlock(s);
    if (t == NULL)
        return ESRCH;
    return info->si_signo == 0 ? 0 : EINVAL;
}

int pthread_kill(pthread_t handle, int sig)
{
    const siginfo_t info = mpj_sig_info(sig, SI_TKILL);

    return send_to(handle, &info);
}

int pthread_sigqueue(pthread_t handle, int sig, const union sigval value)
{
    siginfo_t info = mpj_sig_info(sig, SI_QUEUE);

    info.si_value = value;
    return send_to(handle, &info);
}

/* ---- blocking -------------------------------------------------------------------- */

void mpj_sig_set_blocked(sigset_t blocked)
{
    struct mpj_thread *self = mpj_thread_self();
    hal_irq_state s = mpj_sched_lock();
    const sigset_t more = blocked & ~self->signals.blocked;

    self->signals.blocked = blocked & ~MPJ_SIG_UNBLOCKABLE;
    if ((more & mpj_sigq_of_program()) != 0)
        pass_on_locked();
    mpj_sched_unlock(s);
    pt_signals_deliver();
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    const sigset_t before = mpj_thread_self()->signals.blocked;
    const sigset_t change = set != NULL ? *set : 0; /* may be the same as old */

    if (set != NULL && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
        return EINVAL;
    if (old != NULL)
        *old = before;
    if (set != NULL)
        mpj_sig_set_blocked(how == SIG_BLOCK     ? before | change
                            : how == SIG_UNBLOCK ? before & ~change
                                                 : change);
    return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int r = pthread_sigmask(how, set, old);

    return r == 0 ? 0 : fail(r);
}

int sigpending(sigset_t *set)
{
    const struct mpj_thread *self = mpj_thread_self();

    *set = mpj_sigq_pending(self) & self->signals.blocked;
    return 0;
}

/* ---- waiting --------------------------------------------------------------------- */

static const char signals = 0; /* reports give this as what the thread waits for */

/* Waits for a signal of the set and returns it; 0: timeout; -EINTR: a handler has run. */
static int wait_for(sigset_t set, siginfo_t *info, uint64_t deadline, const void *caller)
{
    const struct mpj_wait_info wait = {.kind = MPJ_WAIT_COND, .object = &signals, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    const uint32_t before = self->signals.handled;
    int r = 0;

    pthread_testcancel();
    for (;;) {
        hal_irq_state s = mpj_sched_lock();
        const int sig = mpj_sigq_take_locked(self, set, info);

        if (sig != 0 || r == -ETIMEDOUT) {
            mpj_sched_unlock(s);
            return sig;
        }
        self->signals.waits_for = set;
        r = mpj_sched_block_locked(&wait, deadline, true);
        self->signals.waits_for = 0;
        hal_irq_restore(s);
        if (r == -ECANCELED)
            pthread_testcancel();
        mpj_thread_poll();
        if (self->signals.handled != before)
            return -EINTR;
    }
}

int sigwait(const sigset_t *set, int *sig)
{
    do
        *sig = wait_for(*set, NULL, MPJ_NEVER, PT_CALLER());
    while (*sig < 0);
    return 0;
}

static int wait_or_fail(const sigset_t *set, siginfo_t *info, uint64_t deadline, const void *caller)
{
    const int sig = wait_for(*set, info, deadline, caller);

    return sig > 0 ? sig : fail(sig < 0 ? EINTR : EAGAIN);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
    uint64_t deadline = MPJ_NEVER;

    if (time != NULL) {
        if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= (long)NS_PER_S)
            return fail(EINVAL);
        deadline = mpj_sched_ticks(mpj_time_ns() + (uint64_t)time->tv_sec * NS_PER_S +
                                   (uint64_t)time->tv_nsec);
    }
    return wait_or_fail(set, info, deadline, PT_CALLER());
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return wait_or_fail(set, info, MPJ_NEVER, PT_CALLER());
}

/* Waits until a handler has run in this thread. */
static int suspend(sigset_t blocked, const void *caller)
{
    const struct mpj_wait_info wait = {.kind = MPJ_WAIT_COND, .object = &signals, .caller = caller};
    struct mpj_thread *self = mpj_thread_self();
    const sigset_t old = self->signals.blocked;
    const uint32_t before = self->signals.handled;

    pthread_testcancel();
    mpj_sig_set_blocked(blocked);
    while (self->signals.handled == before) {
        hal_irq_state s = mpj_sched_lock();
        int r = -EINTR;

        if (lets_in(self))
            mpj_sched_unlock(s);
        else
            r = mpj_sched_block_locked(&wait, MPJ_NEVER, true);
        hal_irq_restore(s);
        if (r == -ECANCELED)
            pthread_testcancel();
        mpj_thread_poll();
        pt_signals_deliver();
    }
    mpj_sig_set_blocked(old);
    return fail(EINTR);
}

int sigsuspend(const sigset_t *mask)
{
    return suspend(*mask, PT_CALLER());
}

int pause(void)
{
    return suspend(mpj_thread_self()->signals.blocked, PT_CALLER());
}

/* ---- the alternate stack of handlers --------------------------------------------- */

int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    struct mpj_thread_signals *const own = &mpj_thread_self()->signals;
    const bool now = on_stack(own);
    const stack_t before = {.ss_sp = (void *)own->stack,
                            .ss_size = own->stack_size,
                            .ss_flags = own->stack == 0 ? SS_DISABLE
                                        : now           ? SS_ONSTACK
                                                        : 0};

    if (stack != NULL) {
        const bool none = stack->ss_flags == SS_DISABLE;

        if (now)
            return fail(EPERM);
        if (!none && stack->ss_flags != 0 && stack->ss_flags != SS_ONSTACK)
            return fail(EINVAL);
        if (!none && stack->ss_size < MINSIGSTKSZ)
            return fail(ENOMEM);
        own->stack = none ? 0 : (uintptr_t)stack->ss_sp;
        own->stack_size = none ? 0 : stack->ss_size;
    }
    if (old != NULL)
        *old = before;
    return 0;
}
