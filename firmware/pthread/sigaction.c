/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What signals do. Handlers stay in place as on Linux (newlib's are forgotten when called). */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "mpj_target_run.h"
#include "sigs.h"

static struct sigaction action[NSIG]; /* 0 is SIG_DFL */

bool mpj_sig_valid(int sig)
{
    return sig > 0 && sig < NSIG;
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (!mpj_sig_valid(sig) || (act != NULL && (sig == SIGKILL || sig == SIGSTOP))) {
        errno = EINVAL;
        return -1;
    }
    if (old != NULL)
        *old = action[sig];
    if (act != NULL)
        action[sig] = *act;
    return 0;
}

_sig_func_ptr signal(int sig, _sig_func_ptr handler)
{
    const struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction old;

    return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

int siginterrupt(int sig, int on)
{
    (void)on; /* no call is ever interrupted */
    if (mpj_sig_valid(sig))
        return 0;
    errno = EINVAL;
    return -1;
}

enum mpj_sig_fate mpj_sig_fate(int sig)
{
    const _sig_func_ptr handler = action[sig].sa_handler;

    if (handler == SIG_IGN)
        return MPJ_SIG_IGNORED;
    if (handler != SIG_DFL)
        return MPJ_SIG_HANDLED;
    return sig == SIGCHLD || sig == SIGURG || sig == SIGCONT || sig == SIGWINCH ? MPJ_SIG_IGNORED
                                                                                : MPJ_SIG_ENDS;
}

void mpj_sig_act(int sig)
{
    const struct sigaction act = action[sig];
    sigset_t blocks = act.sa_mask | 1UL << sig;
    sigset_t old;

    switch (mpj_sig_fate(sig)) {
    case MPJ_SIG_IGNORED:
        return;
    case MPJ_SIG_ENDS:
        mpj_run_exit(128 + sig, MPJ_END_ABORT);
    case MPJ_SIG_HANDLED:
        break;
    }
    if (((unsigned)act.sa_flags & SA_RESETHAND) != 0)
        action[sig].sa_handler = SIG_DFL;
    if ((act.sa_flags & SA_NODEFER) != 0)
        blocks &= ~(1UL << sig);
    (void)pthread_sigmask(SIG_BLOCK, &blocks, &old);
    if ((act.sa_flags & SA_SIGINFO) != 0)
        act.sa_sigaction(sig, &(siginfo_t){.si_signo = sig, .si_code = SI_USER}, NULL);
    else
        act.sa_handler(sig);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}
