/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads waiting on addresses: a hash of first-in-first-out lists. A plain
 * data structure: the caller holds the scheduler's lock, except for
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
/* Appends an announced node. */
void mpj_waitq_add(struct mpj_waitq *q, struct mpj_waitq_node *n, uintptr_t addr);

/* Takes the longest waiting node of addr; NULL: none. */
struct mpj_waitq_node *mpj_waitq_take(struct mpj_waitq *q, uintptr_t addr);
/* The longest waiting node of addr among those of the highest rank, left where it is; NULL: none.
 */
struct mpj_waitq_node *mpj_waitq_best(struct mpj_waitq *q, uintptr_t addr,
                                      unsigned (*rank)(const struct mpj_waitq_node *n));
/* True when a node waits on addr. */
bool mpj_waitq_has(struct mpj_waitq *q, uintptr_t addr);
/* Takes out a node that waits (timeout, cancellation). */
void mpj_waitq_remove(struct mpj_waitq *q, struct mpj_waitq_node *n);
/* Moves every node of addr behind those of `to`, in order. fn(node, arg) is called for each.
 * Returns how many. */
unsigned mpj_waitq_move(struct mpj_waitq *q, uintptr_t addr, uintptr_t to,
                        void (*fn)(struct mpj_waitq_node *n, void *arg), void *arg);

/* Without the lock, for a caller that has just changed *addr: true when no thread waits there. Full
 * barrier before the test. */
bool mpj_waitq_idle(struct mpj_waitq *q, uintptr_t addr);

#endif
