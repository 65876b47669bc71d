/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends the program whatever is done with SIGABRT, unless its handler does not return. */
#include <signal.h>
#include <stdlib.h>

#include "mpj_target_run.h"
#include "sigs.h"

_Noreturn void abort(void)
{
    mpj_sig_set_blocked(mpj_thread_self()->signals.blocked & ~MPJ_SIG_BIT(SIGABRT));
    (void)raise(SIGABRT);
    mpj_run_exit(128 + SIGABRT, MPJ_END_ABORT);
}
