/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Services that the kernel gives the layers above it (pthread, OpenMP, libc): threads that wait on
 * a word in memory, and the reasons for a wait.
 *
 * All functions are for thread context, never from an interrupt, unless said.
 */
#ifndef MPJ_RT_H
#define MPJ_RT_H

#include <stdbool.h>
#include <stdint.h>

/* Reason for a wait: decides whether the profile counts the thread as blocked on other threads
 * (block), as sleeping, or as an idle pool thread. */
enum mpj_wait_kind {
    MPJ_WAIT_MUTEX = 1,
    MPJ_WAIT_COND = 2,
    MPJ_WAIT_BARRIER = 3,
    MPJ_WAIT_JOIN = 4,
    MPJ_WAIT_SEM = 5,
    MPJ_WAIT_RWLOCK = 6,
    MPJ_WAIT_ONCE = 7,
    MPJ_WAIT_SLEEP = 8,
    MPJ_WAIT_HOST = 9,         /* host I/O */
    MPJ_WAIT_OMP_BARRIER = 10, /* explicit or implicit */
    MPJ_WAIT_OMP_CRITICAL = 11,
    MPJ_WAIT_OMP_LOCK = 12,
    MPJ_WAIT_OMP_ORDERED = 13,
    MPJ_WAIT_OMP_TASK = 14,
    MPJ_WAIT_OMP_IDLE = 15, /* pool thread without a team */
    MPJ_WAIT_PIPE = 16,     /* or a socket, or another thing in memory with a descriptor */
    MPJ_WAIT_POLL = 17,     /* one of several of those */
    MPJ_WAIT_QUEUE = 18,    /* of messages */
};

struct mpj_wait_info {
    enum mpj_wait_kind kind;
    const void *object; /* identity of the mutex, barrier, ...; not dereferenced */
    uint32_t owner;     /* id of the thread that holds it, 0 unknown */
    const void *caller; /* address in the program that waits (__builtin_return_address) */
};

/*
 * Blocks the calling thread until mpj_rt_wake() on the same address, if *addr
 * still equals expected when the thread is put to sleep (checked atomically
 * with respect to mpj_rt_wake()). deadline_ns: absolute mpj_time_ns(), UINT64_MAX
 * for no limit. No spurious wake-ups. Returns 0 when woken, -EAGAIN when the value
 * differed, -ETIMEDOUT (newlib's errno numbers).
 */
int mpj_rt_wait(const volatile uint32_t *addr, uint32_t expected, const struct mpj_wait_info *info,
                uint64_t deadline_ns);
/* Wakes up to n waiters on addr, longest waiting first, and returns how many. May be called from an
 * interrupt. */
unsigned mpj_rt_wake(const volatile uint32_t *addr, unsigned n);

/*
 * State of a thread that spin-waits: it polls a word without giving up the core. Between enter and
 * leave it calls nothing else here, and interrupts stay pending.
 */
struct mpj_rt_spin {
    uint32_t irq;
    uint32_t since;
    uint32_t checks;
};
/* Begins to spin-wait: masks IRQ. */
void mpj_rt_spin_enter(struct mpj_rt_spin *l);
/* Accounts for a wait of that kind since mpj_rt_spin_enter(), after some polls that found nothing.
 * False: the core is needed for something else, the thread must leave and may enter again. A wait
 * that ends before the first call counts as running. */
bool mpj_rt_spin_on(struct mpj_rt_spin *l, const struct mpj_wait_info *info);
/* Ends the wait and restores the mask. */
void mpj_rt_spin_leave(struct mpj_rt_spin *l);

/* Returns the id of the calling thread: 1 is main, then in order of creation; 0 before threads
 * run. */
uint32_t mpj_rt_self(void);
/* Gives the core to another ready thread, if there is one. */
void mpj_rt_yield(void);
/* Returns the number of active cores (--cores), 1..4. */
unsigned mpj_rt_cores(void);
/* Returns true when more threads are ready than cores: spinning would only delay the partner. */
bool mpj_rt_oversubscribed(void);

#endif
