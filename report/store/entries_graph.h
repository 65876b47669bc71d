/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of calls of functions measured at entry and exit, and the call tree derived from it.
 *
 * An edge has the cost of the calls of one function by another one, callees included. A function's
 * own cost is that of its calls less that of the calls it made, which holds for recursions, too.
 * Functions that call each other are one component: what enters a component from outside is divided
 * among its functions' own costs and the calls that leave it. So the own costs of the tree sum up
 * to what enters the roots.
 */
#ifndef ENTRIES_GRAPH_H
#define ENTRIES_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENTRY_ITEMS 3U /* cycles, two events */
#define ENTRY_NONE  UINT32_MAX

struct entry_call { /* by one function of another one */
    uint32_t from, to;
    double calls, v[ENTRY_ITEMS];
    double variance;      /* of the cycles, for the calls that were measured */
    double by_period;     /* standard error for the periods, which is the same for all its calls,
                             if the caller runs in half of them */
    double division;      /* of the cycles: how they are divided among callers is uncertain */
    double records, rare; /* calls that were measured, and those because they are rare */
};

/* A function that was measured, or code without an entry that calls measured functions: the latter
 * is a function for each measured one that it was called by. */
struct entry_func {
    uint32_t address;
    uint32_t outer; /* the measured function that the code without an entry runs for, or none */
    bool is_measured;
    double calls;
    double passed[ENTRY_ITEMS]; /* cost of calls that it only counted */
    double waits;               /* variance of its cycles: polling for what it waits for */
    /* results */
    double self[ENTRY_ITEMS];           /* its own cost */
    double self_variance, all_variance; /* of the cycles: its own, and with callees */
    /* of the solution */
    double in[ENTRY_ITEMS]; /* what enters its component from others */
    double below;           /* calls in its component and in all that calls */
    double uneven;          /* squared deviation of what its periods have of it, in means */
    uint32_t component, stamp, place;
};

/* Functions that call each other. total: own costs and calls to other components, before what
 * enters is divided. */
struct entry_component {
    uint32_t first, members; /* in order */
    double total[ENTRY_ITEMS];
    double below; /* calls in it and in all it calls */
    double waits; /* as of its functions, with all it calls */
    bool is_root; /* no other component calls it */
};

/* Zeroed before the first use. */
struct entry_graph {
    struct entry_func *func;
    uint32_t funcs, func_room;
    struct entry_call *call; /* once solved, by caller: from first[i] up to first[i + 1] */
    uint32_t calls, call_room;
    uint32_t *func_hash, *call_hash; /* number + 1; of twice as many places as there is space */
    uint32_t *first;
    uint32_t *first_in, *in; /* edges to function i: in[first_in[i]] up to in[first_in[i + 1]] */
    uint32_t *order;         /* functions by component, callees first */
    struct entry_component *component;
    uint32_t components, stamp;
    double periods; /* of the run */
    double all;     /* cycles that enter the roots */
};

/* Returns the number of a function or of an edge, which is added if it is new; ENTRY_NONE: out of
 * memory. */
uint32_t entry_func_of(struct entry_graph *g, uint32_t address, uint32_t outer);
uint32_t entry_call_of(struct entry_graph *g, uint32_t from, uint32_t to);

/* Returns the number of a function; ENTRY_NONE: it is not in the graph. */
uint32_t entry_func_find(const struct entry_graph *g, uint32_t address, uint32_t outer);

/* Computes own costs, variances and components. Estimates that contradict each other, a function
 * with less than it called, are changed in proportion to their variances. False: out of memory. No
 * function or edge may be added after that. */
bool entry_graph_solve(struct entry_graph *g);

/* A node of the tree; id: ascending from 0, parent: ENTRY_NONE at a root. */
struct entry_node {
    uint32_t id, parent, func;
    double calls, self[ENTRY_ITEMS];
};
/* Receives a node after its parent; false ends the tree. */
typedef bool entry_node_each(void *ctx, const struct entry_node *n);
/* Passes the nodes of the tree and returns their number; ENTRY_NONE: `each` has ended it, or out of
 * memory. */
uint32_t entry_graph_tree(struct entry_graph *g, entry_node_each *each, void *ctx);

void entry_graph_free(struct entry_graph *g);

#endif
