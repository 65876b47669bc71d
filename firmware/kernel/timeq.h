/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines in order: a pairing heap of intrusive nodes. Equal deadlines come
 * out in the order they went in. The caller holds the scheduler's lock.
 */
#ifndef MPJ_TIMEQ_H
#define MPJ_TIMEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpj_timeq_node {
    uint64_t deadline; /* ticks */
    uint64_t serial;
    struct mpj_timeq_node *child, *next;
    struct mpj_timeq_node **slot; /* the pointer that points here; NULL: in no queue */
};

struct mpj_timeq {
    struct mpj_timeq_node *root;
    uint64_t serial;
};

/* Makes a queue empty. */
void mpj_timeq_init(struct mpj_timeq *q);
/* Puts a node that is in no queue (slot NULL) into the queue. */
void mpj_timeq_put(struct mpj_timeq *q, struct mpj_timeq_node *n, uint64_t deadline);
/* Takes a node out; does nothing when it is in no queue. */
void mpj_timeq_remove(struct mpj_timeq *q, struct mpj_timeq_node *n);
/* Returns the earliest node, still in the queue; NULL: none. */
struct mpj_timeq_node *mpj_timeq_first(const struct mpj_timeq *q);
/* Returns the earliest deadline; UINT64_MAX: none. */
uint64_t mpj_timeq_deadline(const struct mpj_timeq *q);

#endif
