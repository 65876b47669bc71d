/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of the C library's own data: recursive, its waiters sleep. Its holder is not interrupted
 * by handlers of signals, which may want the same data, or cancelled. Thread context only.
 *
 * Before threads run and after the scheduler is frozen there is one thread of control: then
 * nothing is locked.
 */
#ifndef MPJ_RLOCK_H
#define MPJ_RLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: free. */
struct mpj_rlock {
    volatile uint32_t word; /* 0: free, 1: taken, 2: taken, threads may be waiting */
    volatile uint32_t owner;
    uint32_t depth;
};

/* Takes it; the profile shows a wait as one for a mutex, made by the program at `caller`. */
void mpj_rlock_take(struct mpj_rlock *l, const void *caller);
/* The same until an absolute mpj_time_ns(); false: not taken. */
bool mpj_rlock_take_until(struct mpj_rlock *l, uint64_t deadline_ns, const void *caller);
/* Takes it if that needs no waiting. */
bool mpj_rlock_try(struct mpj_rlock *l);
/* Gives it back, once for every time it was taken. */
void mpj_rlock_give(struct mpj_rlock *l);

/* All streams: they share buffers by flushing each other, and one line to the host. */
extern struct mpj_rlock mpj_stdio_lock;

#endif
