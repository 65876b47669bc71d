/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ready threads of all cores: one queue of lists by priority, first come first
 * served, with affinity. A plain data structure: the caller holds the
 * scheduler's lock.
 *
 * One queue, not one per core with stealing: with more threads than cores all
 * get the same share, and a core without work needs no search. Preferring threads
 * that last ran on the core gained nothing (README.md).
 */
#ifndef MPJ_RUNQ_H
#define MPJ_RUNQ_H

#include <stdint.h>

#include "list.h"

#define MPJ_PRIORITIES 32U /* 31 is the most urgent */

struct mpj_runq_node {
    struct mpj_list link;
    uint32_t affinity; /* bit i: may run on core i */
    uint8_t priority;  /* below MPJ_PRIORITIES */
};

struct mpj_runq {
    struct mpj_list level[MPJ_PRIORITIES];
    uint32_t used; /* bit p: level p has threads */
    unsigned count;
};

/* Makes a queue empty. */
void mpj_runq_init(struct mpj_runq *q);
/* Puts a node after the others of its priority. The node is in no queue. */
void mpj_runq_put(struct mpj_runq *q, struct mpj_runq_node *n);
/* Takes the most urgent node that may run on the core, of at least priority `least`; NULL: none. */
struct mpj_runq_node *mpj_runq_take(struct mpj_runq *q, unsigned core, unsigned least);
/* Takes out a node that is in the queue (its affinity or priority is about to change). */
void mpj_runq_remove(struct mpj_runq *q, struct mpj_runq_node *n);

#endif
