/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, but for struct sigaction, which lacks handlers with three arguments and most flags. */
#ifndef MPJ_SYS_SIGNAL_H
#define MPJ_SYS_SIGNAL_H

#define sigaction mpj_newlib_sigaction
#include_next <sys/signal.h>
#undef sigaction
#undef SA_NOCLDSTOP

#define SA_NOCLDSTOP 0x00000001
#define SA_NOCLDWAIT 0x00000002
#define SA_SIGINFO   0x00000004
#define SA_ONSTACK   0x08000000
#define SA_RESTART   0x10000000
#define SA_NODEFER   0x40000000
#define SA_RESETHAND 0x80000000U

struct sigaction {
    __extension__ union {
        _sig_func_ptr sa_handler;
#if __POSIX_VISIBLE >= 199309
        void (*sa_sigaction)(int, siginfo_t *, void *);
#endif
    };
    sigset_t sa_mask;
    int sa_flags;
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Signals of a program alone on its board: those it sends itself, and SIGALRM of alarm() and
 * setitimer(ITIMER_REAL). A handler runs in the thread that sends the signal; for a timer's in a
 * thread of its own. Faults are not signals: they end the run, with registers and call chain.
 */
int sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int siginterrupt(int sig, int on);

#undef sigaddset
#undef sigdelset
#undef sigemptyset
#undef sigfillset
#undef sigismember
#define SIG_HOLD ((_sig_func_ptr)2)
int sighold(int sig);
int sigrelse(int sig);
int sigignore(int sig);
_sig_func_ptr sigset(int sig, _sig_func_ptr handler);
int sigisemptyset(const sigset_t *set);
int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b);
int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b);

#ifdef __cplusplus
}
#endif
#endif
