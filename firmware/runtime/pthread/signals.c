/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals between threads: there are none, nothing interrupts a thread. Masks are kept for who
 * asks. */
#include <errno.h>
#include <signal.h>

#include "pt_int.h"

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    struct mpj_thread *self = mpj_thread_self();

    if (old != NULL)
        *old = self->signals_blocked;
    if (set == NULL)
        return 0;
    switch (how) {
    case SIG_BLOCK:
        self->signals_blocked |= *set;
        return 0;
    case SIG_UNBLOCK:
        self->signals_blocked &= ~*set;
        return 0;
    case SIG_SETMASK:
        self->signals_blocked = *set;
        return 0;
    default:
        return EINVAL;
    }
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int r = pthread_sigmask(how, set, old);

    if (r == 0)
        return 0;
    errno = r;
    return -1;
}

/* Signal 0 asks whether the thread is there; one to oneself is raise(). */
int pthread_kill(pthread_t handle, int signal)
{
    hal_irq_state s = mpj_sched_lock();
    const struct mpj_thread *t = pt_find_locked(handle);

    mpj_sched_unlock(s);
    if (t == NULL)
        return ESRCH;
    if (signal == 0)
        return 0;
    if (t != mpj_thread_self())
        return ENOSYS;
    return raise(signal) == 0 ? 0 : EINVAL;
}
