/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folds what the compiler made of a function of the source, copies for some arguments and pieces
 * that it has split off, into one function, and nodes of the call tree that are then the same.
 */
#ifndef PROFILE_FOLD_H
#define PROFILE_FOLD_H

#include <stddef.h>

#include "report/profile.h"

/* Zeroed before the first use. */
struct fold {
    uint32_t *func;     /* index of the function that one of the store belongs to */
    int64_t *address;   /* of the store's functions */
    bool *piece;        /* the store's function is a piece of another */
    bool any;           /* some functions are folded */
    uint32_t *node;     /* index of the node that one of the store belongs to */
    size_t nodes, room; /* of the store */
    uint32_t *table;    /* index + 1 of nodes by hash, when any */
    size_t slots;       /* a power of 2 */
};

/* Folds p's functions, as they are in the store, and sets names, labels and copies. False: out of
 * memory. */
bool fold_functions(struct fold *f, struct mpj_profile *p);
/* Adds the node written after p's last one: func is a number in the store, its parent is
 * an index. It becomes a new node, or part of an earlier one. False: out of memory. */
bool fold_node(struct fold *f, struct mpj_profile *p, uint32_t func);
void fold_free(struct fold *f);

#endif
