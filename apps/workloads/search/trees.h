/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches of trees, shared among threads by their first branches. */
#ifndef TREES_H
#define TREES_H

#include <stdbool.h>
#include <stdint.h>

/* Calls fn(arg, i) for i from 0 to n - 1, from so many threads: a thread that is done takes the
 * next i.
 */
void share(unsigned threads, unsigned n, void (*fn)(void *arg, unsigned i), void *arg);

/* How many ways there are to place n queens (4 to 16). */
uint64_t queens(unsigned n, unsigned threads);

/* A knapsack: the most value of n things (at most 48) whose weights do not exceed the limit. */
struct thing {
    unsigned weight, value;
};
/* By branch and bound; nodes: how many it looked at, which depends on the threads. */
unsigned knapsack(const struct thing *thing, unsigned n, unsigned limit, unsigned threads,
                  uint64_t *nodes);
/* By a table, for comparison. */
unsigned knapsack_table(const struct thing *thing, unsigned n, unsigned limit);

#endif
