/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runq.h"

void mpj_runq_init(struct mpj_runq *q)
{
    for (unsigned i = 0; i < MPJ_PRIORITIES; i++)
        mpj_list_init(&q->level[i]);
    q->used = 0;
    q->count = 0;
}

void mpj_runq_put(struct mpj_runq *q, struct mpj_runq_node *n)
{
    mpj_list_insert(&q->level[n->priority], &n->link);
    q->used |= 1U << n->priority;
    q->count++;
}

void mpj_runq_remove(struct mpj_runq *q, struct mpj_runq_node *n)
{
    mpj_list_remove(&n->link);
    q->count--;
    if (mpj_list_empty(&q->level[n->priority]))
        q->used &= ~(1U << n->priority);
}

static struct mpj_runq_node *find_in(struct mpj_runq *q, unsigned priority, unsigned core)
{
    const struct mpj_list *head = &q->level[priority];

    for (struct mpj_list *l = head->next; l != head; l = l->next) {
        struct mpj_runq_node *n = MPJ_LIST_ENTRY(l, struct mpj_runq_node, link);

        if ((n->affinity & (1U << core)) != 0)
            return n;
    }
    return NULL;
}

struct mpj_runq_node *mpj_runq_take(struct mpj_runq *q, unsigned core, unsigned least)
{
    uint32_t left = q->used & (~0U << least);

    while (left != 0) {
        unsigned p = 31U - (unsigned)__builtin_clz(left);
        struct mpj_runq_node *n = find_in(q, p, core);

        if (n != NULL) {
            mpj_runq_remove(q, n);
            return n;
        }
        left &= ~(1U << p);
    }
    return NULL;
}
