/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folds the least important paths when there are more paths than nodes, whose nodes are then used
 * again. A path that comes late finds a node, and keeps it if it costs more than others do.
 *
 * Importance is the cycles of a node with all below it, so that with a node all below it are
 * folded. What a folded node has counted goes to the node of its function below MPJ_PROF_OTHERS:
 * only its callers are no longer known. About half of the nodes are folded at a time, so that the
 * work for each new path is small however many there are. Nodes in use stay: those of stacks, and
 * those for which cycles are still to be counted.
 */
#include "prof_int.h"

#include <stdlib.h>
#include <string.h>

#define IN_USE UINT64_MAX
/* Parts of the nodes: if fewer can be folded, that is not tried again soon; so few are left. */
#define WORTH_IT 8U
#define NEARLY   32U

/* All nodes, or those to be folded. */
struct folding {
    struct node **node; /* parents before their children; then those to be folded */
    uint64_t *weight;   /* to be sorted */
    uint32_t nodes, weights, gone;
    uint64_t most; /* weight of a node that is folded */
};

static void use(struct node *n)
{
    if (n)
        n->weight = IN_USE;
}

/* Marks nodes that something points to. */
static void mark(struct prof *f)
{
    for (unsigned i = 0; i < PROF_ROOTS + MPJ_CORES; i++)
        for (uint32_t k = 0; k < f->own[i].n; k++) {
            use(f->own[i].f[k].node);
            use(f->own[i].f[k].base);
        }
    for (unsigned i = 0; i < PROF_ROOTS; i++) {
        use(f->root[i]);
        use(f->others[i]);
        for (struct node *n = f->others[i] ? f->others[i]->child : NULL; n; n = n->next)
            use(n);
    }
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        struct prof_core *pc = &f->core[i];
        use(pc->now);
        for (unsigned k = 0; k < pc->n; k++)
            use(pc->journal[k].from);
    }
}

/* Lists all nodes. */
static void list(struct prof *f, struct folding *x)
{
    for (unsigned i = 0; i < PROF_ROOTS; i++)
        for (struct node *n = f->root[i]; n; n = prof_after(n)) {
            n->weight = n->run + n->wfi;
            x->node[x->nodes++] = n;
        }
}

static int by_weight(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Adds to each node what is below it, and finds the weight up to which about half are folded. */
static void weigh(struct folding *x)
{
    for (uint32_t i = x->nodes; i-- > 0;) {
        struct node *n = x->node[i];
        struct node *up = n->parent;
        if (up && up->weight != IN_USE)
            up->weight = n->weight == IN_USE ? IN_USE : up->weight + n->weight;
        if (n->weight != IN_USE)
            x->weight[x->weights++] = n->weight;
    }
    qsort(x->weight, x->weights, sizeof(*x->weight), by_weight);
    if (x->weights > 0)
        x->most = x->weight[x->weights / 2];
}

static bool is_gone(const struct folding *x, const struct node *n)
{
    return n->weight != IN_USE && n->weight <= x->most;
}

/* Takes nodes out of the tree, whose other nodes stay in their order, and lists only these. */
static bool unlink_gone(struct folding *x)
{
    struct node **gone = malloc(x->nodes * sizeof(struct node *));
    uint32_t n = 0;
    if (!gone)
        return false;
    for (uint32_t i = 0; i < x->nodes; i++) {
        struct node *k = x->node[i];
        k->child = NULL;
        if (k->recent && is_gone(x, k->recent))
            k->recent = NULL;
    }
    for (uint32_t i = x->nodes; i-- > 0;) {
        struct node *k = x->node[i];
        if (is_gone(x, k)) {
            gone[n++] = k;
        } else if (k->parent) {
            k->next = k->parent->child;
            k->parent->child = k;
        }
    }
    free(x->node);
    x->node = gone;
    x->gone = n;
    return true;
}

static int by_function(const void *a, const void *b)
{
    const struct node *x = *(struct node *const *)a;
    const struct node *y = *(struct node *const *)b;
    if (x->ctx != y->ctx)
        return x->ctx < y->ctx ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return x->func < y->func ? -1 : x->func > y->func;
}

static void add(struct node *to, const struct node *n)
{
    to->calls += n->calls;
    to->run += n->run;
    to->wfi += n->wfi;
    to->class_fj += n->class_fj;
    to->switch_fj += n->switch_fj;
    to->floor_fj += n->floor_fj;
    for (unsigned i = 0; i < PROF_COUNTS; i++)
        to->count[i] += n->count[i];
}

/* Moves what was counted, and what will be of a node's share of energy, and makes the nodes free.
 */
static void fold_gone(struct prof *f, struct folding *x)
{
    struct node *to = NULL;
    const struct node *last = NULL;
    qsort(x->node, x->gone, sizeof(struct node *), by_function);
    for (uint32_t i = 0; i < x->gone; i++) {
        struct node *n = x->node[i];
        if (!last || by_function(&n, &last) != 0)
            to = prof_others_of(f, n, n->func);
        add(to, n);
        n->recent = to;
        last = n;
    }
    for (unsigned i = 0; i < MPJ_CORES; i++)
        for (unsigned k = 0; k < f->core[i].shares; k++) {
            struct share *s = &f->core[i].share[k];
            s->node = is_gone(x, s->node) ? s->node->recent : s->node;
        }
    for (uint32_t i = 0; i < x->gone; i++) {
        struct node *n = x->node[i];
        memset(n, 0, sizeof(*n));
        n->next = f->free;
        f->free = n;
    }
    f->nodes -= x->gone;
}

void prof_fold(struct prof *f)
{
    struct folding x = {0};
    if (f->patience > 0) {
        f->patience--;
        return;
    }
    f->patience = f->most_nodes;
    x.node = malloc(f->nodes * sizeof(struct node *));
    x.weight = malloc(f->nodes * sizeof(*x.weight));
    if (x.node && x.weight) {
        list(f, &x);
        mark(f);
        weigh(&x);
        if (x.weights > f->most_nodes / WORTH_IT && unlink_gone(&x)) {
            fold_gone(f, &x);
            f->patience = 0;
        }
    }
    free(x.node);
    free(x.weight);
}

bool prof_nearly_full(const struct prof *f)
{
    return f->nodes >= f->most_nodes - f->most_nodes / NEARLY;
}
