/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waitq.h"

static unsigned hash(uintptr_t addr)
{
    return (unsigned)((addr >> 2) * 2654435761U >> 20) % MPJ_WAITQ_BUCKETS;
}

void mpj_waitq_init(struct mpj_waitq *q)
{
    for (unsigned i = 0; i < MPJ_WAITQ_BUCKETS; i++) {
        mpj_list_init(&q->bucket[i].list);
        q->bucket[i].count = 0;
    }
}

/* Raises the count, which only holders of the lock write; the barrier orders it before the test of
 * *addr. */
void mpj_waitq_announce(struct mpj_waitq *q, uintptr_t addr)
{
    uint32_t *count = &q->bucket[hash(addr)].count;

    __atomic_store_n(count, *count + 1U, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void mpj_waitq_retract(struct mpj_waitq *q, uintptr_t addr)
{
    uint32_t *count = &q->bucket[hash(addr)].count;

    __atomic_store_n(count, *count - 1U, __ATOMIC_RELAXED);
}

/* Inserts by rank. The search begins at the tail, as mostly all ranks are the same. */
static void insert(struct mpj_waitq *q, struct mpj_waitq_node *n)
{
    struct mpj_list *head = &q->bucket[hash(n->addr)].list, *at = head;

    while (at->prev != head &&
           MPJ_LIST_ENTRY(at->prev, struct mpj_waitq_node, link)->rank < n->rank)
        at = at->prev;
    mpj_list_insert(at, &n->link);
}

void mpj_waitq_add(struct mpj_waitq *q, struct mpj_waitq_node *n, uintptr_t addr, unsigned rank)
{
    n->addr = addr;
    n->rank = rank;
    insert(q, n);
}

void mpj_waitq_rank(struct mpj_waitq *q, struct mpj_waitq_node *n, unsigned rank)
{
    mpj_list_remove(&n->link);
    n->rank = rank;
    insert(q, n);
}

void mpj_waitq_remove(struct mpj_waitq *q, struct mpj_waitq_node *n)
{
    mpj_list_remove(&n->link);
    mpj_waitq_retract(q, n->addr);
}

struct mpj_waitq_node *mpj_waitq_first(struct mpj_waitq *q, uintptr_t addr)
{
    struct mpj_list *head = &q->bucket[hash(addr)].list;

    for (struct mpj_list *l = head->next; l != head; l = l->next) {
        struct mpj_waitq_node *n = MPJ_LIST_ENTRY(l, struct mpj_waitq_node, link);

        if (n->addr == addr)
            return n;
    }
    return NULL;
}

bool mpj_waitq_has(struct mpj_waitq *q, uintptr_t addr)
{
    return mpj_waitq_first(q, addr) != NULL;
}

struct mpj_waitq_node *mpj_waitq_take(struct mpj_waitq *q, uintptr_t addr)
{
    struct mpj_waitq_node *n = mpj_waitq_first(q, addr);

    if (n != NULL)
        mpj_waitq_remove(q, n);
    return n;
}

bool mpj_waitq_idle(struct mpj_waitq *q, uintptr_t addr)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&q->bucket[hash(addr)].count, __ATOMIC_RELAXED) == 0;
}
