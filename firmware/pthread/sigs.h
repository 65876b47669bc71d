/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files about signals share. Sets have bit n for signal n. */
#ifndef MPJ_SIGS_H
#define MPJ_SIGS_H

#include <signal.h>
#include <stdbool.h>

#include "mpj_sched.h"

#define MPJ_SIG_BIT(sig)    ((sigset_t)1 << (sig))
#define MPJ_SIG_UNBLOCKABLE (MPJ_SIG_BIT(SIGKILL) | MPJ_SIG_BIT(SIGSTOP))

/* ---- what is done with a signal (sigaction.c); the scheduler's lock held ---- */

enum mpj_sig_fate {
    MPJ_SIG_IGNORED,
    MPJ_SIG_HANDLED, /* there is a handler */
    MPJ_SIG_ENDS,    /* the program */
};

/* sig is one: 1 to NSIG - 1. No lock needed. */
bool mpj_sig_valid(int sig);
enum mpj_sig_fate mpj_sig_fate(int sig);
/* How a signal that is about to be handled is handled; SA_RESETHAND comes into effect. */
struct sigaction mpj_sig_take_action(int sig);

/* ---- which signals wait for whom (sigqueue.c); the scheduler's lock held ---- */

/*
 * A signal for a thread, or (NULL) for whichever thread takes it. One below SIGRTMIN that waits
 * already is not noted twice, nor is one of a timer that does (its si_overrun grows instead).
 * overrun: NULL, or where its si_overrun is written to when it is taken. Returns false when a
 * signal with a value finds no room.
 */
bool mpj_sigq_put_locked(struct mpj_thread *t, const siginfo_t *info, int *overrun);
/* The lowest of those in the set that wait for the thread or for whichever; 0: none. info: NULL, or
 * what is known of it. */
int mpj_sigq_take_locked(struct mpj_thread *t, sigset_t set, siginfo_t *info);
/* Those that wait for the thread or for whichever. */
sigset_t mpj_sigq_pending(const struct mpj_thread *t);
/* Those that wait for whichever. */
sigset_t mpj_sigq_of_program(void);
/* They are forgotten: all of a thread's, or a signal everywhere. */
void mpj_sigq_drop_thread_locked(struct mpj_thread *t);
void mpj_sigq_drop_locked(int sig);

/* ---- sending and receiving (signals.c); thread context, lock not held ---- */

/* What is known of a signal that the program sends. */
siginfo_t mpj_sig_info(int sig, int code);
/* Sends to a thread, or (NULL) to the program. For the calling thread it is handled before this
 * returns, unless blocked. 0, or EAGAIN when the queue is full. */
int mpj_sig_send(struct mpj_thread *t, const siginfo_t *info, int *overrun);
/* Sets what the calling thread blocks, and handles what that lets in. */
void mpj_sig_set_blocked(sigset_t blocked);

#endif
