/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends the program whatever is done with SIGABRT, unless its handler does not return. */
#include <signal.h>
#include <stdlib.h>

#include "mpj_target_run.h"
#include "sigs.h"

/* Of a program without signals nothing can be done with SIGABRT: they are not linked for this. */
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
