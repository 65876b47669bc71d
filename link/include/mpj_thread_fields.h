/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of a thread's record, each written once: struct mpj_thread_rec, its encoder and decoder,
 * the columns of the store's table `thread`, the members of struct mpj_thread_result and the
 * columns of CSV and JSON are made from this table, in its order.
 *
 * To add one: a row of MPJ_THREAD_LATER, since the next version of the store (report/store.h); the
 * line THREAD of link/SPEC.md; docs/store.md; the profiler, which fills it. Readers take a field
 * that a log or a store does not have as 0.
 *
 * Freestanding: usable on the target and on the host.
 */
#ifndef MPJ_THREAD_FIELDS_H
#define MPJ_THREAD_FIELDS_H

/*
 * X(kind, name, since)
 * kind:  ID      32 bits; results have it in their own way
 *        MOMENT  ticks since the target's reset; the same
 *        TICKS   a duration; in results seconds, NAME_s
 *        COUNT   the same in results
 *        DERIVED in results only: seconds, NAME_s, computed by the reader
 * since: version of the store that first has it
 */
#define MPJ_THREAD_FIELDS(X)                                                                       \
    X(ID, id, 3)     /* 1 is main, then in order of creation */                                    \
    X(ID, parent, 3) /* 0: none */                                                                 \
    X(ID, flags, 3)  /* enum mpj_thread_flag */                                                    \
    X(ID, entry, 3)  /* address of its function; main: 0 */                                        \
    X(MOMENT, created, 3)                                                                          \
    X(MOMENT, ended, 3)                                                                            \
    X(TICKS, run, 3)      /* had a core, the runtime's work for it included */                     \
    X(TICKS, block, 3)    /* waited for other threads */                                           \
    X(DERIVED, other, 3)  /* life - run - block - host: ready without a core, asleep */            \
    X(TICKS, sleep, 3)    /* waited for time, or for work as a pool thread */                      \
    X(TICKS, kernel, 3)   /* share of run: interrupts, the scheduler */                            \
    X(COUNT, switches, 3) /* times it got a core */                                                \
    X(COUNT, cycles, 3)   /* of run */

/* Fields added after protocol version 1: at the end of the record, after the name. */
#define MPJ_THREAD_LATER(X)                                                                        \
    X(TICKS, host, 4)        /* moved data from or to the host, or waited for who did */           \
    X(COUNT, stack_bytes, 5) /* it had; 0: not known */                                            \
    X(COUNT, stack_used_bytes,                                                                     \
      5)                /* of these, at most: firmware/kernel/paint.h has the resolution */        \
    X(COUNT, folded, 7) /* other threads of the same function that are added up in this one */

#endif
