/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cancellation points in the C library's own functions (POSIX, "Thread Cancellation"). */
#ifndef MPJ_CANCEL_H
#define MPJ_CANCEL_H

#include <pthread.h>

#include "mpj_sched.h"

/* Linked only into programs that link pthread_cancel(), which is in the same file. */
void pthread_testcancel(void) __attribute__((weak));

/* Ends the calling thread if it has been cancelled; called at the beginning of a function, before
 * it takes or changes anything. Costs a load and a comparison otherwise. Thread context, no lock
 * held. */
static inline void mpj_cancel_point(void)
{
    if (__builtin_expect(mpj_thread_self()->cancel_pending, false))
        pthread_testcancel();
}

#endif
