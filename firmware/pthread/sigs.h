/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done with a signal (sigaction.c) for who sends it (pthread/signals.c). Thread context. */
#ifndef MPJ_SIGS_H
#define MPJ_SIGS_H

#include <stdbool.h>

enum mpj_sig_fate {
    MPJ_SIG_IGNORED,
    MPJ_SIG_HANDLED, /* there is a handler */
    MPJ_SIG_ENDS,    /* the program */
};

/* sig is one: 1 to NSIG - 1. */
bool mpj_sig_valid(int sig);
enum mpj_sig_fate mpj_sig_fate(int sig);
/* Handler, or what is done without one, now, in the calling thread. */
void mpj_sig_act(int sig);

#endif
