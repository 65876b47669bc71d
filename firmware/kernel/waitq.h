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

/* Makes a queue empty. */
void mpj_waitq_init(struct mpj_waitq *q);

/* Announces that a thread is about to test *addr and to wait: from here on mpj_waitq_idle() returns
 * false. mpj_waitq_retract() undoes it, mpj_waitq_add() completes it. */
void mpj_waitq_announce(struct mpj_waitq *q, uintptr_t addr);
/* Undoes mpj_waitq_announce(): the thread does not wait after all. */
void mpj_waitq_retract(struct mpj_waitq *q, uintptr_t addr);
/* Puts an announced node after those of its rank. */
void mpj_waitq_add(struct mpj_waitq *q, struct mpj_waitq_node *n, uintptr_t addr, unsigned rank);
/* Gives a waiting node another rank, and puts it after those of that rank. */
void mpj_waitq_rank(struct mpj_waitq *q, struct mpj_waitq_node *n, unsigned rank);

/* Returns the longest waiting node of addr among those of the highest rank, left in the queue;
 * NULL: none. */
struct mpj_waitq_node *mpj_waitq_first(struct mpj_waitq *q, uintptr_t addr);
/* Takes the node that mpj_waitq_first() returns; NULL: none. */
struct mpj_waitq_node *mpj_waitq_take(struct mpj_waitq *q, uintptr_t addr);
/* Returns true when a node waits on addr. */
bool mpj_waitq_has(struct mpj_waitq *q, uintptr_t addr);
/* Takes out a node that waits (timeout, cancellation). */
void mpj_waitq_remove(struct mpj_waitq *q, struct mpj_waitq_node *n);

/* Returns true when no thread waits on addr. Without the lock, for a caller that has just changed
 * *addr; a full barrier before the test. */
bool mpj_waitq_idle(struct mpj_waitq *q, uintptr_t addr);

#endif
