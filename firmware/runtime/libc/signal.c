/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals, as far as a program alone on its board can have any: those it raises itself. Handlers
 * stay in place as on Linux (newlib's are forgotten when they are called).
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static struct sigaction action[NSIG]; /* 0 is SIG_DFL */

static bool valid(int sig)
{
    if (sig > 0 && sig < NSIG)
        return true;
    errno = EINVAL;
    return false;
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (!valid(sig))
        return -1;
    if (act != NULL && (sig == SIGKILL || sig == SIGSTOP)) {
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
    const struct sigaction act = {.sa_handler = handler};
    struct sigaction old;

    return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

int raise(int sig)
{
    _sig_func_ptr handler;

    if (!valid(sig))
        return -1;
    handler = action[sig].sa_handler;
    if (handler == SIG_IGN)
        return 0;
    if (handler == SIG_DFL)
        return sig == SIGCHLD || sig == SIGURG || sig == SIGCONT ? 0 : kill(getpid(), sig);
    handler(sig);
    return 0;
}
