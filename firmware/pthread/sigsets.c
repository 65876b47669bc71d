/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of signals, and System V's calls for single signals. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "mpj_sched.h"
#include "sigs.h"

#undef sigaddset
#undef sigdelset
#undef sigemptyset
#undef sigfillset
#undef sigismember

static int fail(int error)
{
    errno = error;
    return -1;
}

int sigaddset(sigset_t *set, int sig)
{
    if (!mpj_sig_valid(sig))
        return fail(EINVAL);
    *set |= MPJ_SIG_BIT(sig);
    return 0;
}

int sigdelset(sigset_t *set, int sig)
{
    if (!mpj_sig_valid(sig))
        return fail(EINVAL);
    *set &= ~MPJ_SIG_BIT(sig);
    return 0;
}

int sigismember(const sigset_t *set, int sig)
{
    return mpj_sig_valid(sig) ? (*set & MPJ_SIG_BIT(sig)) != 0 : fail(EINVAL);
}

int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

int sigfillset(sigset_t *set)
{
    *set = ~(sigset_t)1; /* there is no signal 0 */
    return 0;
}

int sigisemptyset(const sigset_t *set)
{
    return *set == 0;
}

int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b)
{
    *to = *a | *b;
    return 0;
}

int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b)
{
    *to = *a & *b;
    return 0;
}

static int change(int how, int sig)
{
    sigset_t set = 0;

    return sigaddset(&set, sig) != 0 ? -1 : sigprocmask(how, &set, NULL);
}

int sighold(int sig)
{
    return change(SIG_BLOCK, sig);
}

int sigrelse(int sig)
{
    return change(SIG_UNBLOCK, sig);
}

int sigignore(int sig)
{
    return signal(sig, SIG_IGN) == SIG_ERR ? -1 : 0;
}

sighandler_t sigset(int sig, sighandler_t handler)
{
    struct sigaction old;
    sigset_t before;

    if (!mpj_sig_valid(sig) || sigaction(sig, NULL, &old) != 0)
        return SIG_ERR;
    (void)sigprocmask(SIG_SETMASK, NULL, &before);
    if (handler == SIG_HOLD) {
        (void)sighold(sig);
    } else {
        if (signal(sig, handler) == SIG_ERR)
            return SIG_ERR;
        (void)sigrelse(sig);
    }
    return (before & MPJ_SIG_BIT(sig)) != 0 ? SIG_HOLD : old.sa_handler;
}

int sigpause(int sig)
{
    sigset_t set;

    (void)sigprocmask(SIG_SETMASK, NULL, &set);
    return sigdelset(&set, sig) != 0 ? -1 : sigsuspend(&set);
}

/* Names POSIX's sigpause() for programs that do not request an X/Open standard, too. */
__asm__(".weak sigpause\n\t.type sigpause, %function\n\t.set sigpause, __xpg_sigpause");
