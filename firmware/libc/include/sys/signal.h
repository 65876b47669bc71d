/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, but for struct sigaction, which lacks handlers with three arguments and most flags, for
 * siginfo_t, which lacks most members, and for real-time signals, which it has not. */
#ifndef MPJ_SYS_SIGNAL_H
#define MPJ_SYS_SIGNAL_H

#define sigaction    mpj_newlib_sigaction
#define siginfo_t    mpj_newlib_siginfo_t
#define sigwaitinfo  mpj_newlib_sigwaitinfo
#define sigtimedwait mpj_newlib_sigtimedwait
#include_next <sys/signal.h>
#undef sigaction
#undef siginfo_t
#undef sigwaitinfo
#undef sigtimedwait
#undef SA_NOCLDSTOP

#define SA_NOCLDSTOP 0x00000001
#define SA_NOCLDWAIT 0x00000002
#define SA_SIGINFO   0x00000004
#define SA_ONSTACK   0x08000000
#define SA_RESTART   0x10000000
#define SA_NODEFER   0x40000000
#define SA_RESETHAND 0x80000000U

#undef NSIG
#define NSIG  64
#define _NSIG NSIG
#if __POSIX_VISIBLE >= 199309
#define SIGRTMIN 32
#define SIGRTMAX 63
#endif

#if __POSIX_VISIBLE >= 199309
#undef SI_USER
#undef SI_QUEUE
#undef SI_TIMER
#undef SI_ASYNCIO
#undef SI_MESGQ
#define SI_USER    0    /* kill() */
#define SI_QUEUE   (-1) /* sigqueue() */
#define SI_TIMER   (-2) /* timer_settime() */
#define SI_MESGQ   (-3)
#define SI_ASYNCIO (-4)
#define SI_TKILL   (-6) /* raise(), pthread_kill() */
#define SI_KERNEL  0x80 /* alarm(), setitimer() */
#define FPE_INTDIV 1    /* SIGFPE of a division */

/* Of signals that faults cause on Linux; here they end the run. For programs that tell them apart.
 */
#define FPE_INTOVF    2
#define FPE_FLTDIV    3
#define FPE_FLTOVF    4
#define FPE_FLTUND    5
#define FPE_FLTRES    6
#define FPE_FLTINV    7
#define FPE_FLTSUB    8
#define ILL_ILLOPC    1
#define ILL_ILLOPN    2
#define ILL_ILLADR    3
#define ILL_ILLTRP    4
#define ILL_PRVOPC    5
#define ILL_PRVREG    6
#define ILL_COPROC    7
#define ILL_BADSTK    8
#define SEGV_MAPERR   1
#define SEGV_ACCERR   2
#define BUS_ADRALN    1
#define BUS_ADRERR    2
#define BUS_OBJERR    3
#define TRAP_BRKPT    1
#define TRAP_TRACE    2
#define CLD_EXITED    1
#define CLD_KILLED    2
#define CLD_DUMPED    3
#define CLD_TRAPPED   4
#define CLD_STOPPED   5
#define CLD_CONTINUED 6
#define POLL_IN       1
#define POLL_OUT      2
#define POLL_MSG      3
#define POLL_ERR      4
#define POLL_PRI      5
#define POLL_HUP      6

typedef struct {
    int si_signo;
    int si_errno;
    int si_code;
    pid_t si_pid;
    uid_t si_uid;
    int si_timerid;
    int si_overrun;
    int si_status;
    long si_band;
    void *si_addr;
    union sigval si_value;
} siginfo_t;
#define si_int si_value.sival_int
#define si_ptr si_value.sival_ptr
#endif

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
 * Signals of a program alone on its board: those it sends itself, and those of its timers. A
 * handler interrupts the thread that the signal is for; one for the program main, unless main
 * blocks it. The third argument of a handler is NULL. Faults are not signals: they end the run,
 * with registers and call chain.
 */
int sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int siginterrupt(int sig, int on);
#if __POSIX_VISIBLE >= 199309
int sigwaitinfo(const sigset_t *set, siginfo_t *info);
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time);
#endif
#if __GNU_VISIBLE
int pthread_sigqueue(pthread_t thread, int sig, const union sigval value);
#endif

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
#if __POSIX_VISIBLE >= 199309
/* What the signal is, on stderr. */
void psiginfo(const siginfo_t *info, const char *text);
#endif
int sigisemptyset(const sigset_t *set);
int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b);
int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b);

#ifdef __cplusplus
}
#endif
#endif
