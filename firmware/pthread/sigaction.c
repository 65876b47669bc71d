/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Actions of signals. Handlers stay installed as on Linux (newlib resets them when they are
 * called). */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "sigs.h"

static struct sigaction action[NSIG]; /* 0 is SIG_DFL */

bool mpj_sig_valid(int sig)
{
    return sig > 0 && sig < NSIG;
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction before;
    hal_irq_state s;

    if (!mpj_sig_valid(sig) || (act != NULL && (sig == SIGKILL || sig == SIGSTOP))) {
        errno = EINVAL;
        return -1;
    }
    s = mpj_sched_lock();
    before = action[sig];
    if (act != NULL) {
        action[sig] = *act;
        if (mpj_sig_fate(sig) == MPJ_SIG_IGNORED)
            mpj_sigq_drop_locked(sig);
    }
    mpj_sched_unlock(s);
    if (old != NULL)
        *old = before;
    return 0;
}

sighandler_t signal(int sig, sighandler_t handler)
{
    const struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction old;

    return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* Sends a signal to the calling thread. In the same file as signal(), because newlib has both in
 * one file, which must not be linked. */
int raise(int sig)
{
    const siginfo_t info = mpj_sig_info(sig, SI_TKILL);

    if (sig == 0)
        return 0;
    if (mpj_sig_valid(sig))
        return mpj_sig_send(mpj_thread_self(), &info, NULL);
    errno = EINVAL;
    return -1;
}

int siginterrupt(int sig, int on)
{
    struct sigaction act;

    if (sigaction(sig, NULL, &act) != 0)
        return -1;
    if (on != 0)
        act.sa_flags &= ~SA_RESTART;
    else
        act.sa_flags |= SA_RESTART;
    return sigaction(sig, &act, NULL);
}

enum mpj_sig_fate mpj_sig_fate(int sig)
{
    const sighandler_t handler = action[sig].sa_handler;

    if (handler == SIG_IGN)
        return MPJ_SIG_IGNORED;
    if (handler != SIG_DFL)
        return MPJ_SIG_HANDLED;
    return sig == SIGCHLD || sig == SIGURG || sig == SIGCONT || sig == SIGWINCH ? MPJ_SIG_IGNORED
                                                                                : MPJ_SIG_ENDS;
}

struct sigaction mpj_sig_take_action(int sig)
{
    const struct sigaction act = action[sig];

    if (((unsigned)act.sa_flags & SA_RESETHAND) != 0)
        action[sig].sa_handler = SIG_DFL;
    return act;
}
