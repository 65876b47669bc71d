/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit hardware counter on top of one of the chip model's 64-bit event
 * counts: the register's value is what it held when it was last looked at plus
 * what the event count has grown by since. Nothing is done per event.
 */
#ifndef HW_MISC_MPJ_COUNTER_H
#define HW_MISC_MPJ_COUNTER_H

#include "exec/mpj.h"
#include "migration/vmstate.h"
#include "sysemu/mpj-sched.h"

typedef struct MpjCounter {
    uint32_t value; /* register content at the last fold */
    uint64_t base;  /* event count at the last fold */
} MpjCounter;

/*
 * Brings value up to date with the event count src; every div-th event counts.
 * Returns true when the register went past 2^32. A count below base (another
 * core's clock was ahead when it looked) changes nothing.
 */
static inline bool mpj_counter_fold(MpjCounter *c, uint64_t src, unsigned div)
{
    uint64_t n, v;

    if (src <= c->base) {
        return false;
    }
    n = (src - c->base) / div;
    c->base += n * div;
    v = c->value + n;
    c->value = v;
    return v >> 32;
}

/* Starts counting from here; the register keeps its value. */
static inline void mpj_counter_start(MpjCounter *c, uint64_t src)
{
    c->base = src;
}

/* Returns the events until the register wraps. */
static inline uint64_t mpj_counter_room(const MpjCounter *c)
{
    return (1ULL << 32) - c->value;
}

/*
 * A look is a timer, which ends slices. So counters that run are looked at at
 * times that do not depend on what they count, 160 ms apart at 210 MHz.
 */
#define MPJ_COUNTER_LOOK (1ULL << 25)

static inline uint64_t mpj_counter_next_look(uint64_t now)
{
    now = MAX(now, mpj_clock_cycles()); /* a waiting core's time stops */
    return (now / MPJ_COUNTER_LOOK + 1) * MPJ_COUNTER_LOOK;
}

/*
 * Returns the time at which to look again when a counter must grow by n events
 * before it wraps and its event happens at most twice a cycle: never later than
 * the wrap by more than a quantum, and not more often than once a quantum.
 */
static inline int64_t mpj_counter_deadline(uint64_t now, uint64_t n)
{
    return mpj_cycles_to_ns(MIN(now + MAX(n / 2, mpj.quantum),
                                mpj_counter_next_look(now)));
}

/*
 * Saves the content without an update: saving a machine must not change a
 * counter, and its event count is saved with the chip.
 */
extern const VMStateDescription vmstate_mpj_counter;

/*
 * Returns the time for devices: the accessing core's, or the machine's outside
 * an access.
 */
uint64_t mpj_device_now(void);

#endif
