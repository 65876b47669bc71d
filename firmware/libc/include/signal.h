/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals of a program alone on its board: those it sends itself, and those of its timers. A
 * handler interrupts the thread that the signal is for; one for the program interrupts main, unless
 * main blocks it. The third argument of a handler is NULL. Faults are not signals: they end the run
 * and are reported with registers and call chain.
 */
#ifndef MPJ_LIBC_SIGNAL_H
#define MPJ_LIBC_SIGNAL_H

#include <features.h>
typedef int sig_atomic_t;

#define SIGHUP    1
#define SIGINT    2
#define SIGQUIT   3
#define SIGILL    4
#define SIGTRAP   5
#define SIGABRT   6
#define SIGBUS    7
#define SIGFPE    8
#define SIGKILL   9
#define SIGUSR1   10
#define SIGSEGV   11
#define SIGUSR2   12
#define SIGPIPE   13
#define SIGALRM   14
#define SIGTERM   15
#define SIGSTKFLT 16
#define SIGCHLD   17
#define SIGCONT   18
#define SIGSTOP   19
#define SIGTSTP   20
#define SIGTTIN   21
#define SIGTTOU   22
#define SIGURG    23
#define SIGXCPU   24
#define SIGXFSZ   25
#define SIGVTALRM 26
#define SIGPROF   27
#define SIGWINCH  28
#define SIGPOLL   29
#define SIGPWR    30
#define SIGSYS    31
#define SIGCLD    SIGCHLD
#define SIGIO     SIGPOLL
#define SIGIOT    SIGABRT
#if defined(__USE_POSIX)
#define SIG_BLOCK   0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#endif
#define SIGRTMIN 32
#define SIGRTMAX 63
#define _NSIG    64
#define SIG_DFL  ((void (*)(int))0)
#define SIG_IGN  ((void (*)(int))1)
#define SIG_ERR  ((void (*)(int)) - 1)
#ifdef __USE_XOPEN
#define SIG_HOLD ((void (*)(int))2)
#endif
#ifdef __USE_MISC
#define NSIG _NSIG
typedef void (*sig_t)(int);
#endif
#ifdef __USE_GNU
typedef void (*sighandler_t)(int);
#endif

#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K)
typedef int pid_t;
typedef unsigned int uid_t;
#endif
#ifdef __USE_POSIX199309
#include <bits/sigevent.h>
#include <bits/timespec.h>
#ifdef __USE_MISC
typedef union sigval sigval_t;
#endif
#endif

#ifdef __USE_POSIX
#include <bits/sigset.h>

#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_POSIX199309)
#ifndef __USE_POSIX199309
union sigval {
    int sival_int;
    void *sival_ptr;
};
#endif

/* Has Linux's size; its members are not in a union, since more of them are known at once. */
typedef struct {
    int si_signo;
    int si_errno;
    int si_code;
    int si_pid;
    unsigned int si_uid;
    int si_timerid;
    int si_overrun;
    int si_status;
    long si_band;
    long si_utime;
    long si_stime;
    void *si_addr;
    union sigval si_value;
    int si_fd;
    int __more[18];
} siginfo_t;
#define si_int     si_value.sival_int
#define si_ptr     si_value.sival_ptr

#define SI_USER    0    /* kill() */
#define SI_QUEUE   (-1) /* sigqueue() */
#define SI_TIMER   (-2) /* timer_settime() */
#define SI_MESGQ   (-3)
#define SI_ASYNCIO (-4)
#define SI_SIGIO   (-5)
#define SI_TKILL   (-6) /* raise(), pthread_kill() */
#define SI_KERNEL  0x80 /* alarm(), setitimer() */
#endif

/* Codes of signals that faults cause on Linux; only FPE_INTDIV occurs here. */
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
#define ILL_ILLOPC    1
#define FPE_INTDIV    1
#define SEGV_MAPERR   1
#define BUS_ADRALN    1
#define CLD_EXITED    1
#define POLL_IN       1
#define ILL_ILLOPN    2
#define FPE_INTOVF    2
#define SEGV_ACCERR   2
#define BUS_ADRERR    2
#define CLD_KILLED    2
#define POLL_OUT      2
#define ILL_ILLADR    3
#define FPE_FLTDIV    3
#define SEGV_BNDERR   3
#define BUS_OBJERR    3
#define CLD_DUMPED    3
#define POLL_MSG      3
#define ILL_ILLTRP    4
#define FPE_FLTOVF    4
#define SEGV_PKUERR   4
#define BUS_MCEERR_AR 4
#define CLD_TRAPPED   4
#define POLL_ERR      4
#define ILL_PRVOPC    5
#define FPE_FLTUND    5
#define SEGV_ACCADI   5
#define BUS_MCEERR_AO 5
#define CLD_STOPPED   5
#define POLL_PRI      5
#define ILL_PRVREG    6
#define FPE_FLTRES    6
#define SEGV_ADIDERR  6
#define CLD_CONTINUED 6
#define POLL_HUP      6
#define ILL_COPROC    7
#define FPE_FLTINV    7
#define SEGV_ADIPERR  7
#define ILL_BADSTK    8
#define FPE_FLTSUB    8
#define SEGV_MTEAERR  8
#define ILL_BADIADDR  9
#define SEGV_MTESERR  9
#define FPE_FLTUNK    14
#define FPE_CONDTRAP  15
#endif
#if defined(__USE_XOPEN_EXTENDED)
#define TRAP_BRKPT  1
#define TRAP_TRACE  2
#define TRAP_BRANCH 3
#define TRAP_HWBKPT 4
#define TRAP_UNK    5
#endif

struct sigaction {
    union {
        void (*__handler)(int);
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_POSIX199309)
        void (*__action)(int, siginfo_t *, void *);
#endif
    } __sigaction_handler;
    sigset_t sa_mask;
    int sa_flags;
    void (*sa_restorer)(void);
};
#define sa_handler __sigaction_handler.__handler
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_POSIX199309)
#define sa_sigaction __sigaction_handler.__action
#endif

#if defined(__USE_POSIX)
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO   4
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
#define SA_ONSTACK 0x08000000
#endif
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
#define SA_RESTART   0x10000000
#define SA_NODEFER   0x40000000
#define SA_RESETHAND 0x80000000
#endif
#ifdef __USE_MISC
#define SA_INTERRUPT 0x20000000
#define SA_NOMASK    SA_NODEFER
#define SA_ONESHOT   SA_RESETHAND
#define SA_STACK     SA_ONSTACK
#endif

#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
#include <bits/stack_t.h>
#elif defined(__USE_MISC)
#include <bits/size_t.h>
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
#define SS_ONSTACK  1
#define SS_DISABLE  2
#define MINSIGSTKSZ 2048
#define SIGSTKSZ    8192
#endif
#endif

#ifdef __USE_MISC
#define sigmask(sig) (1 << ((sig)-1))
#endif

#ifdef __USE_GNU
#include <unistd.h>
#endif

__MPJ_BEGIN

int raise(int);
#if defined(__USE_POSIX)
int kill(int, int);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int sigprocmask(int, const sigset_t *__restrict, sigset_t *__restrict);
int sigsuspend(const sigset_t *);
int sigaction(int, const struct sigaction *__restrict, struct sigaction *__restrict);
int sigpending(sigset_t *);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
int killpg(int, int);
int siginterrupt(int, int);
int sigaltstack(const stack_t *__restrict, stack_t *__restrict);
#endif
#if defined(__USE_XOPEN2K8)
void psignal(int, const char *);
void psiginfo(const siginfo_t *, const char *);
#endif
#if defined(__USE_POSIX199506)
int sigwait(const sigset_t *__restrict, int *__restrict);
int pthread_sigmask(int, const sigset_t *__restrict, sigset_t *__restrict);
int pthread_kill(pthread_t, int);
#endif
#if defined(__USE_POSIX199309)
int sigwaitinfo(const sigset_t *__restrict, siginfo_t *__restrict);
int sigtimedwait(const sigset_t *__restrict, siginfo_t *__restrict,
                 const struct timespec *__restrict);
int sigqueue(int, int, const union sigval);
#endif
#if defined(__USE_XOPEN_EXTENDED)
int sigpause(int);
int sighold(int);
int sigrelse(int);
int sigignore(int);
#endif
#if defined(__USE_GNU)
int sigisemptyset(const sigset_t *);
int sigandset(sigset_t *, const sigset_t *, const sigset_t *);
int sigorset(sigset_t *, const sigset_t *, const sigset_t *);
int pthread_sigqueue(pthread_t, int, const union sigval);
#endif

__MPJ_END

__MPJ_BEGIN

void (*signal(int, void (*)(int)))(int);
#ifdef __USE_XOPEN_EXTENDED
void (*sigset(int, void (*)(int)))(int);
#endif

__MPJ_END

#endif
