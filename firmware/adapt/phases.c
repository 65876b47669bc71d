/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases that a program with threads of its own announces to the controller. */
#include <stddef.h>

#include "hal_sys.h"
#include "mpj.h"
#include "mpj_adapt.h"
#include "mpj_prof_thread.h"

static struct {
    bool adapted;                  /* the present one is */
    bool counted;                  /* `before` is known */
    struct mpj_prof_counts before; /* of the program */
} present;

/* Passes the counts of all threads in the phase to the controller. Returns false if they are not
 * known. */
static bool counted(void)
{
    struct mpj_prof_counts now;
    uint64_t cycles;
    uint32_t event[2];

    if (!present.counted || !mpj_prof_program_counts(&now))
        return false;
    cycles = (now.ticks - present.before.ticks) * hal_sys_clock_hz() / HAL_SYS_TIME_HZ;
    for (unsigned i = 0; i < 2U; i++)
        event[i] = (uint32_t)(now.event[i] - present.before.event[i]);
    if (cycles > UINT32_MAX) /* the events are not known either */
        return false;
    mpj_adapt_whole((uint32_t)cycles, event);
    return true;
}

unsigned mpj_adapt_begin(const void *phase, unsigned most)
{
    bool count = false;
    unsigned threads = 0;

    if (most > 1U && mpj_adapt_init(NULL) && !mpj_adapt_pauses())
        threads = mpj_adapt_enter((uint32_t)(uintptr_t)phase,
                                  (uint32_t)(uintptr_t)__builtin_return_address(0), most, &count);
    if (threads == 0)
        return most;
    mpj_adapt_forked();
    present.adapted = true;
    present.counted = count && mpj_prof_program_counts(&present.before);
    return threads;
}

void mpj_adapt_end(unsigned threads)
{
    if (!present.adapted)
        return;
    present.adapted = false;
    mpj_adapt_leave(threads, counted());
}
