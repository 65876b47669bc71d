/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal interface of the signal files. Sets have bit n for signal n. */
#ifndef MPJ_SIGS_H
#define MPJ_SIGS_H

#include <signal.h>
#include <stdbool.h>

#include "mpj_sched.h"

#define MPJ_SIG_BIT(sig)    ((sigset_t)1 << (sig))
#define MPJ_SIG_UNBLOCKABLE (MPJ_SIG_BIT(SIGKILL) | MPJ_SIG_BIT(SIGSTOP))

/* ---- actions (sigaction.c); the scheduler's lock held ---- */

enum mpj_sig_fate {
    MPJ_SIG_IGNORED,
    MPJ_SIG_HANDLED, /* a handler is installed */
    MPJ_SIG_ENDS,    /* ends the program */
};

/* True if sig is a signal: 1 to NSIG - 1. No lock needed. */
bool mpj_sig_valid(int sig);
enum mpj_sig_fate mpj_sig_fate(int sig);
/* Returns the action of a signal that is about to be handled; SA_RESETHAND takes effect. */
struct sigaction mpj_sig_take_action(int sig);

/* ---- pending signals (sigqueue.c); the scheduler's lock held ---- */

/*
 * Queues a signal for a thread, or (NULL) for any thread of the program. A signal below SIGRTMIN
 * that is already pending is not queued twice, nor is that of a timer (its si_overrun grows
 * instead). overrun: NULL, or the place to write its si_overrun to when it is taken. Returns false
 * when the queue has no space for a signal with a value.
 */
bool mpj_sigq_put_locked(struct mpj_thread *t, const siginfo_t *info, int *overrun);
/* Takes the lowest signal of the set that is pending for the thread or the program; 0: none. info:
 * NULL, or receives the signal's details. */
int mpj_sigq_take_locked(struct mpj_thread *t, sigset_t set, siginfo_t *info);
/* Returns the signals that are pending for the thread or the program. */
sigset_t mpj_sigq_pending(const struct mpj_thread *t);
/* Returns the signals that are pending for the program. */
sigset_t mpj_sigq_of_program(void);
/* Discards pending signals: all of a thread's, or one signal everywhere. */
void mpj_sigq_drop_thread_locked(struct mpj_thread *t);
void mpj_sigq_drop_locked(int sig);

/* ---- sending and receiving (signals.c); thread context, lock not held ---- */

/* Returns the details of a signal that the program sends. */
siginfo_t mpj_sig_info(int sig, int code);
/* Sends a signal to a thread, or (NULL) to the program. The calling thread handles its own before
 * this returns, unless it is blocked. Returns 0, or EAGAIN when the queue is full. */
int mpj_sig_send(struct mpj_thread *t, const siginfo_t *info, int *overrun);
/* Sets the signals that the calling thread blocks, and handles those that are no longer blocked. */
void mpj_sig_set_blocked(sigset_t blocked);

#endif
