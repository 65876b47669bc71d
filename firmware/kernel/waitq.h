/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads waiting on addresses: a hash of lists, the highest rank first, first in first out among
 * equals. A plain data structure: the caller holds the scheduler's lock, except for
 * mpj_waitq_idle().
 */
#ifndef MPJ_WAITQ_H
#define MPJ_WAITQ_H

#include <stdint.h>

#include "list.h"

#define MPJ_WAITQ_BUCKETS 64U

struct mpj_waitq_node {
    struct mpj_list link;
    uintptr_t addr;
    unsigned rank; /* the priority of the thread */
};

struct mpj_waitq {
    struct {
        struct mpj_list list;
        uint32_t count; /* waiting or about to: see mpj_waitq_idle() */
    } bucket[MPJ_WAITQ_BUCKETS];
};

/* Empty. */
void mpj_waitq_init(struct mpj_waitq *q);

/* A thread is about to test *addr and to wait: from here on mpj_waitq_idle() returns false.
 * mpj_waitq_retract() undoes it, mpj_waitq_add() completes it. */
void mpj_waitq_announce(struct mpj_waitq *q, uintptr_t addr);
/* The thread does not wait after all. */
void mpj_waitq_retract(struct mpj_waitq *q, uintptr_t addr);
/* Puts an announced node behind those of its rank. */
void mpj_waitq_add(struct mpj_waitq *q, struct mpj_waitq_node *n, uintptr_t addr, unsigned rank);
/* A node that waits gets another rank, and goes behind those of it. */
void mpj_waitq_rank(struct mpj_waitq *q, struct mpj_waitq_node *n, unsigned rank);

/* The longest waiting node of addr among those of the highest rank, left where it is; NULL: none.
 */
struct mpj_waitq_node *mpj_waitq_first(struct mpj_waitq *q, uintptr_t addr);
/* Takes that node; NULL: none. */
struct mpj_waitq_node *mpj_waitq_take(struct mpj_waitq *q, uintptr_t addr);
/* True when a node waits on addr. */
bool mpj_waitq_has(struct mpj_waitq *q, uintptr_t addr);
/* Takes out a node that waits (timeout, cancellation). */
void mpj_waitq_remove(struct mpj_waitq *q, struct mpj_waitq_node *n);

/* Without the lock, for a caller that has just changed *addr: true when no thread waits there. Full
 * barrier before the test. */
bool mpj_waitq_idle(struct mpj_waitq *q, uintptr_t addr);

#endif
