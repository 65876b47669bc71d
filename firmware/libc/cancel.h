/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cancellation points of the C library's own functions (POSIX, "Thread Cancellation"). */
#ifndef MPJ_CANCEL_H
#define MPJ_CANCEL_H

#include <pthread.h>

#include "mpj_sched.h"

/* Linked only into programs that link pthread_cancel(), which is beside it. */
void pthread_testcancel(void) __attribute__((weak));

/* At the beginning of a function, before it takes or changes anything: ends the calling thread when
 * it has been cancelled. A load and a comparison otherwise. Thread context, no lock held. */
static inline void mpj_cancel_point(void)
{
    if (__builtin_expect(mpj_thread_self()->cancel_pending, false))
        pthread_testcancel();
}

#endif
