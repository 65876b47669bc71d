/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases that a program with threads of its own tells the controller. */
#include <stddef.h>

#include "mpj.h"
#include "mpj_adapt.h"

static bool adapted; /* the present phase: one at a time is */

unsigned mpj_adapt_begin(const void *phase, unsigned most)
{
    bool count;
    unsigned threads = 0;

    if (most > 1U && mpj_adapt_init(NULL))
        threads = mpj_adapt_enter((uint32_t)(uintptr_t)phase,
                                  (uint32_t)(uintptr_t)__builtin_return_address(0), most, &count);
    if (threads == 0)
        return most;
    mpj_adapt_forked();
    adapted = true;
    return threads;
}

void mpj_adapt_end(unsigned threads)
{
    if (!adapted)
        return;
    adapted = false;
    mpj_adapt_leave(threads, false);
}
