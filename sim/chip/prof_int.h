/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the truth per function: nodes, stacks (prof.c), counts (prof_count.c), output. */
#ifndef MPJ_PROF_INT_H
#define MPJ_PROF_INT_H

#include "chip_int.h"
#include "mpj_functions.h"

#define PROF_COUNTS (MPJ_EV_COUNT + (unsigned)X_COUNT)
#define PROF_ROOTS  (MPJ_CTX_MAX + MPJ_CORES) /* contexts; then context 0 of each core */

/* Changes of node between two flushes: each takes an instruction, of which there are less than
 * 65536 then (MPJ_PACK_A), and an exception may follow each. */
#define PROF_JOURNAL   131072U

#define PROF_DEPTH_MAX 511U /* below it, all is below MPJ_PROF_OTHERS */

enum { FRAME_ROOT, FRAME_CALL, FRAME_EXCEPTION, FRAME_STALE };

struct node {
    /* Used by each call, return and change: one line of a host's cache. */
    struct node *recent __attribute__((aligned(64)));
    uint32_t func, watch; /* watch: of the function */
    uint64_t calls;
    uint64_t run; /* cycles */
    int64_t class_fj;
    uint64_t packed_a, packed_b; /* within prof_flush(), with the next one */
    struct mpj_hot_counts unpacked;
    /* the rest */
    uint64_t wfi; /* cycles */
    int64_t switch_fj;
    struct node *parent, *child, *next;
    int64_t floor_fj;
    uint32_t ctx;
    uint32_t core;   /* of a tree of context 0 */
    uint32_t depth;  /* below the root */
    uint32_t newest; /* depth of the last function on its path that is not further up, too */
    uint64_t weight; /* within prof_fold() */
    uint64_t count[PROF_COUNTS];
};

struct chunk {
    struct node *node;
};

struct frame {
    struct node *node; /* where it is */
    struct node *base; /* what was called: tail calls lead from here to there */
    uint32_t ret, sp, kind;
    uint32_t arg; /* first argument of the function called last */
};

struct stack {
    struct frame *f;
    uint32_t n, cap, ctx;
    uint32_t owner; /* core + 1; 0: none */
};

/* The counters as they were when a core left a node. */
struct change {
    uint64_t a, b, time;
    struct mpj_hot_counts count;
    struct node *from;
};

/* Running cycles of a node in the current span of the floor (power.c). */
struct share {
    struct node *node;
    uint64_t run;
};

struct prof_core {
    struct stack *s;
    struct node *now;
    struct change *journal; /* PROF_JOURNAL, and one for the flush */
    unsigned n;
    bool held;        /* mpj_prof_hold() */
    uint64_t flushed; /* end of the last flush */
    uint64_t base[PROF_COUNTS];
    struct share *share;
    unsigned shares, share_cap;
};

/* Counts of losses of the shadow stack: returns that skipped frames (`unwound`), and returns to no
 * frame, after which the stack was found again by the symbol (`resync`). */
struct losses {
    uint64_t unwound, resync;
};

struct prof {
    struct mpj_prof_symbol *sym;
    size_t syms;
    uint32_t most_nodes;
    struct stack own[PROF_ROOTS + MPJ_CORES]; /* the last ones: of a context on two cores */
    struct node *root[PROF_ROOTS];
    struct node *others[PROF_ROOTS];
    struct chunk *pool;
    uint32_t chunks, nodes, made; /* made: nodes, with those that are free again */
    struct node *free;
    uint32_t patience; /* how often nothing is folded although all nodes are in use */
    bool moving;       /* new nodes may be in no stack yet: nothing is folded */
    bool full;         /* paths are folded */
    bool no_mem;       /* counts of nodes that could not be made are in others */
    uint64_t overrun;
    struct losses lost, lost_base, lost_inside; /* in all, when the window opened, in windows */
    struct shared_parts shared, shared_base;
    struct prof_core core[MPJ_CORES];
};

/* Returns the next node of a tree in an order in which parents come before their children; NULL:
 * the end. */
static inline struct node *prof_after(const struct node *n)
{
    if (n->child)
        return n->child;
    while (n && !n->next)
        n = n->parent;
    return n ? n->next : NULL;
}

/* Implemented in prof.c. Returns the node of a function whose paths are not distinguished, below
 * the context's node for them, so that a function's own cost is known even if its callers are
 * not. */
struct node *prof_others_of(struct prof *f, const struct node *n, uint32_t func);

/* Implemented in prof_fold.c. Folds the least important paths, if that is worth it. */
void prof_fold(struct prof *f);
/* True if few nodes are left. */
bool prof_nearly_full(const struct prof *f);

/* Implemented in prof_count.c. */
void prof_settle_cold(struct mpj_chip *c, unsigned core, unsigned dirty);
/* Moves the core to another node: twice for each call, so inline. */
static inline void prof_enter(struct mpj_chip *c, unsigned core, uint64_t time, struct node *n)
{
    struct prof_core *pc = &c->prof->core[core];
    const struct mpj_hot *h = c->core[core].hot;
    if (n == pc->now)
        return;
    if (pc->held) {
        pc->now = n;
        return;
    }
    if (h->dirty)
        prof_settle_cold(c, core, h->dirty);
    if (pc->n == PROF_JOURNAL) { /* never, see there: the sums would still hold */
        c->prof->overrun++;
        pc->now = n;
        return;
    }
    struct change *r = &pc->journal[pc->n++];
    r->a = h->pack_a;
    r->b = h->pack_b;
    r->time = time;
    r->count = h->count;
    r->from = pc->now;
    pc->now = n;
}

#endif
