/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abort(): ends the program whatever it does with SIGABRT, unless a handler does not return. */
#include <signal.h>
#include <stdlib.h>

#include "mpj_target_run.h"
#include "sigs.h"

/* A program without signals cannot handle SIGABRT: the weak references keep signals out of it. */
#pragma weak mpj_sig_set_blocked
#pragma weak raise

_Noreturn void abort(void)
{
    if (mpj_sig_set_blocked != NULL && raise != NULL) {
        mpj_sig_set_blocked(mpj_thread_self()->signals.blocked & ~MPJ_SIG_BIT(SIGABRT));
        (void)raise(SIGABRT);
    }
    mpj_run_exit(128 + SIGABRT, MPJ_END_ABORT);
}
