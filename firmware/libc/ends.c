/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Program termination: linked into every program, even one that uses nothing else of libc/. */
#include <signal.h>
#include <stdlib.h>

#include "mpj_out.h"
#include "mpj_sched.h"
#include "mpj_target_run.h"

/* newlib declares _exit() for its own use only. */
_Noreturn void _exit(int status);

/* Called by the compiler's functions for an integer division by zero. */
int __aeabi_idiv0(int result);
long long __aeabi_ldiv0(long long result);

static void divided_by_zero(void)
{
    static const char text[] = "mpjoule: integer division by zero\n";

    if (mpj_thread_trap != NULL && mpj_thread_trap(SIGFPE, FPE_INTDIV))
        return;
    mpj_out_console(MPJ_REC_CONSOLE_ERR, text, sizeof(text) - 1U);
    mpj_run_exit(128 + SIGFPE, MPJ_END_ABORT);
}

int __aeabi_idiv0(int result)
{
    divided_by_zero();
    return result;
}

long long __aeabi_ldiv0(long long result)
{
    divided_by_zero();
    return result;
}

_Noreturn void _exit(int status)
{
    mpj_run_exit(status & 0xff, MPJ_END_EXIT);
}
