/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intrusive doubly linked list. Callers hold whatever lock the list is under. */
#ifndef MPJ_LIST_H
#define MPJ_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct mpj_list {
    struct mpj_list *next;
    struct mpj_list *prev;
};

#define MPJ_LIST_ENTRY(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* Makes a list empty, or a node one that is in no list. */
static inline void mpj_list_init(struct mpj_list *l)
{
    l->next = l;
    l->prev = l;
}

static inline bool mpj_list_empty(const struct mpj_list *l)
{
    return l->next == l;
}

/* Puts a node before `at`: at the tail when `at` is the list itself. */
static inline void mpj_list_insert(struct mpj_list *at, struct mpj_list *node)
{
    node->prev = at->prev;
    node->next = at;
    at->prev->next = node;
    at->prev = node;
}

/* Takes a node out of its list; it may be in none. */
static inline void mpj_list_remove(struct mpj_list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    mpj_list_init(node);
}

#endif
