/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tsearch() and its like in a tree that stays balanced (AVL), as in the GNU C library; newlib's
 * makes a list of keys that come in order. */
#include <search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* What is given out is a node's address, and begins with the key. */
struct node {
    const void *key;
    struct node *child[2]; /* smaller, larger */
    int height;
};

#define DEPTH_MAX 48U /* of what 4 GB hold */

static int height(const struct node *n)
{
    return n != NULL ? n->height : 0;
}

static void measure(struct node *n)
{
    const int a = height(n->child[0]);
    const int b = height(n->child[1]);

    n->height = 1 + (a > b ? a : b);
}

/* The child on that side comes up. */
static struct node *rotate(struct node *n, int side)
{
    struct node *const up = n->child[side];

    n->child[side] = up->child[!side];
    up->child[!side] = n;
    measure(n);
    measure(up);
    return up;
}

static void balance(struct node **at)
{
    struct node *const n = *at;
    const int lean = height(n->child[1]) - height(n->child[0]);
    const int side = lean > 0;
    const struct node *const high = n->child[side];

    measure(n);
    if (high == NULL || (lean >= -1 && lean <= 1))
        return;
    if (height(high->child[!side]) > height(high->child[side]))
        n->child[side] = rotate(n->child[side], !side);
    *at = rotate(n, side);
}

/* Links from the root down to where the key is or belongs, the last one; *depth: how many. */
static struct node **descend(const void *key, struct node **root,
                             int (*compare)(const void *, const void *),
                             struct node **path[DEPTH_MAX], size_t *depth)
{
    int r;

    for (*depth = 0;; root = &(*root)->child[r > 0]) {
        path[(*depth)++] = root;
        r = *root != NULL ? compare(key, (*root)->key) : 0;
        if (r == 0)
            return root;
    }
}

static void balance_all(struct node **path[DEPTH_MAX], size_t depth)
{
    while (depth > 0) {
        if (*path[--depth] != NULL)
            balance(path[depth]);
    }
}

void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
    struct node **path[DEPTH_MAX];
    struct node *found;
    struct node **at;
    size_t depth;

    if (root == NULL)
        return NULL;
    at = descend(key, (struct node **)root, compare, path, &depth);
    found = *at;
    if (found != NULL)
        return found;
    found = malloc(sizeof(*found));
    if (found == NULL)
        return NULL;
    *found = (struct node){.key = key, .height = 1};
    *at = found;
    balance_all(path, depth);
    return found;
}

void *tfind(const void *key, void *const *root, int (*compare)(const void *, const void *))
{
    struct node **path[DEPTH_MAX];
    size_t depth;

    return root != NULL ? *descend(key, (struct node **)root, compare, path, &depth) : NULL;
}

/* The parent of what is gone; of the root some address. */
void *tdelete(const void *__restrict key, void **__restrict root,
              int (*compare)(const void *, const void *))
{
    struct node **path[DEPTH_MAX];
    struct node **at;
    struct node *gone;
    void *parent;
    size_t depth;

    if (root == NULL)
        return NULL;
    at = descend(key, (struct node **)root, compare, path, &depth);
    gone = *at;
    if (gone == NULL)
        return NULL;
    parent = depth > 1 ? (void *)*path[depth - 2U] : (void *)root;
    if (gone->child[0] != NULL && gone->child[1] != NULL) {
        /* The next larger one takes its place; the links below lead through it, then. */
        const size_t mine = depth;
        struct node **next = &gone->child[1];
        struct node *heir;

        for (path[depth++] = next; (*next)->child[0] != NULL; path[depth++] = next)
            next = &(*next)->child[0];
        heir = *next;
        *next = heir->child[1];
        heir->child[0] = gone->child[0];
        heir->child[1] = gone->child[1];
        *at = heir;
        path[mine] = &heir->child[1];
    } else {
        *at = gone->child[gone->child[0] == NULL];
    }
    free(gone);
    balance_all(path, depth);
    return parent;
}

static void walk(const struct node *n, void (*fn)(const void *, VISIT, int), int level)
{
    if (n->child[0] == NULL && n->child[1] == NULL) {
        fn(n, leaf, level);
        return;
    }
    fn(n, preorder, level);
    if (n->child[0] != NULL)
        walk(n->child[0], fn, level + 1);
    fn(n, postorder, level);
    if (n->child[1] != NULL)
        walk(n->child[1], fn, level + 1);
    fn(n, endorder, level);
}

void twalk(const void *root, void (*fn)(const void *, VISIT, int))
{
    if (root != NULL && fn != NULL)
        walk(root, fn, 0);
}

void tdestroy(void *root, void (*done)(void *))
{
    struct node *const n = root;

    if (n == NULL)
        return;
    tdestroy(n->child[0], done);
    tdestroy(n->child[1], done);
    done((void *)(size_t)n->key);
    free(n);
}
