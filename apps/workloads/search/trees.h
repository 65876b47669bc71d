/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches of trees, shared among threads by their first branches. */
#ifndef TREES_H
#define TREES_H

#include <stdbool.h>
#include <stdint.h>

/* Calls fn(arg, i) for i from 0 to n - 1, from that many threads: a thread that is done takes the
 * next i. */
void share(unsigned threads, unsigned n, void (*fn)(void *arg, unsigned i), void *arg);

/* Returns the number of ways to place n queens (4 to 16). */
uint64_t queens(unsigned n, unsigned threads);

/* An item of a knapsack: the most value of n items (at most 48) whose weights do not exceed the
 * limit. */
struct thing {
    unsigned weight, value;
};
/* Returns that value by branch and bound; nodes: number of visited nodes, which depends on the
 * threads. */
unsigned knapsack(const struct thing *thing, unsigned n, unsigned limit, unsigned threads,
                  uint64_t *nodes);
/* Returns that value by a table, for comparison. */
unsigned knapsack_table(const struct thing *thing, unsigned n, unsigned limit);

#endif
