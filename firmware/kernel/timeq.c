/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeq.h"

void mpj_timeq_init(struct mpj_timeq *q)
{
    q->root = NULL;
    q->serial = 0;
}

static bool before(const struct mpj_timeq_node *a, const struct mpj_timeq_node *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->serial < b->serial;
}

/* Joins two heaps, either of which may be NULL, and returns the result, whose slot the caller
 * sets. */
static struct mpj_timeq_node *meld(struct mpj_timeq_node *a, struct mpj_timeq_node *b)
{
    struct mpj_timeq_node *t;

    if (a == NULL)
        return b;
    if (b == NULL)
        return a;
    if (before(b, a)) {
        t = a;
        a = b;
        b = t;
    }
    b->next = a->child;
    if (b->next != NULL)
        b->next->slot = &b->next;
    a->child = b;
    b->slot = &a->child;
    a->next = NULL;
    return a;
}

static void set_root(struct mpj_timeq *q, struct mpj_timeq_node *n)
{
    q->root = n;
    if (n != NULL) {
        n->next = NULL;
        n->slot = &q->root;
    }
}

/* Joins the children in two passes, pairs from the left, then all from the right, and returns the
 * result. */
static struct mpj_timeq_node *merge_children(struct mpj_timeq_node *first)
{
    struct mpj_timeq_node *pairs = NULL, *all = NULL;

    while (first != NULL) {
        struct mpj_timeq_node *a = first;
        struct mpj_timeq_node *b = a->next;

        first = b != NULL ? b->next : NULL;
        a->next = NULL;
        if (b != NULL)
            b->next = NULL;
        a = meld(a, b);
        a->next = pairs;
        pairs = a;
    }
    while (pairs != NULL) {
        struct mpj_timeq_node *a = pairs;

        pairs = a->next;
        a->next = NULL;
        all = meld(all, a);
    }
    return all;
}

void mpj_timeq_put(struct mpj_timeq *q, struct mpj_timeq_node *n, uint64_t deadline)
{
    n->deadline = deadline;
    n->serial = q->serial++;
    n->child = NULL;
    n->next = NULL;
    set_root(q, meld(q->root, n));
}

void mpj_timeq_remove(struct mpj_timeq *q, struct mpj_timeq_node *n)
{
    struct mpj_timeq_node *rest;

    if (n->slot == NULL)
        return;
    *n->slot = n->next;
    if (n->next != NULL)
        n->next->slot = n->slot;
    n->next = NULL;
    n->slot = NULL;
    rest = merge_children(n->child);
    n->child = NULL;
    set_root(q, meld(q->root, rest));
}

struct mpj_timeq_node *mpj_timeq_first(const struct mpj_timeq *q)
{
    return q->root;
}

uint64_t mpj_timeq_deadline(const struct mpj_timeq *q)
{
    return q->root != NULL ? q->root->deadline : UINT64_MAX;
}
