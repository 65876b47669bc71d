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

/* Only holders of the lock write the count; the barrier orders it before the test of *addr. */
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

void mpj_waitq_add(struct mpj_waitq *q, struct mpj_waitq_node *n, uintptr_t addr)
{
    n->addr = addr;
    mpj_list_insert(&q->bucket[hash(addr)].list, &n->link);
}

void mpj_waitq_remove(struct mpj_waitq *q, struct mpj_waitq_node *n)
{
    mpj_list_remove(&n->link);
    mpj_waitq_retract(q, n->addr);
}

static struct mpj_waitq_node *find(struct mpj_waitq *q, uintptr_t addr)
{
    struct mpj_list *head = &q->bucket[hash(addr)].list;

    for (struct mpj_list *l = head->next; l != head; l = l->next) {
        struct mpj_waitq_node *n = MPJ_LIST_ENTRY(l, struct mpj_waitq_node, link);

        if (n->addr == addr)
            return n;
    }
    return NULL;
}

struct mpj_waitq_node *mpj_waitq_best(struct mpj_waitq *q, uintptr_t addr,
                                      unsigned (*rank)(const struct mpj_waitq_node *n))
{
    struct mpj_list *head = &q->bucket[hash(addr)].list;
    struct mpj_waitq_node *best = NULL;

    for (struct mpj_list *l = head->next; l != head; l = l->next) {
        struct mpj_waitq_node *n = MPJ_LIST_ENTRY(l, struct mpj_waitq_node, link);

        if (n->addr == addr && (best == NULL || rank(n) > rank(best)))
            best = n;
    }
    return best;
}

bool mpj_waitq_has(struct mpj_waitq *q, uintptr_t addr)
{
    return find(q, addr) != NULL;
}

struct mpj_waitq_node *mpj_waitq_take(struct mpj_waitq *q, uintptr_t addr)
{
    struct mpj_waitq_node *n = find(q, addr);

    if (n != NULL)
        mpj_waitq_remove(q, n);
    return n;
}

unsigned mpj_waitq_move(struct mpj_waitq *q, uintptr_t addr, uintptr_t to,
                        void (*fn)(struct mpj_waitq_node *n, void *arg), void *arg)
{
    struct mpj_waitq_node *n;
    struct mpj_list moved;
    unsigned count = 0;

    if (addr == to)
        return 0;
    /* Through a list of its own: both addresses may share a bucket. */
    mpj_list_init(&moved);
    while ((n = mpj_waitq_take(q, addr)) != NULL)
        mpj_list_insert(&moved, &n->link);
    while (!mpj_list_empty(&moved)) {
        n = MPJ_LIST_ENTRY(moved.next, struct mpj_waitq_node, link);
        mpj_list_remove(&n->link);
        mpj_waitq_announce(q, to);
        mpj_waitq_add(q, n, to);
        fn(n, arg);
        count++;
    }
    return count;
}

bool mpj_waitq_idle(struct mpj_waitq *q, uintptr_t addr)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&q->bucket[hash(addr)].count, __ATOMIC_RELAXED) == 0;
}
