/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trees.h"

struct board {
    unsigned n;
    uint64_t ways;
};

/* Places the remaining rows: occupied columns and diagonals are bits. */
static uint64_t place(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
    uint64_t ways = 0;
    uint32_t open = all & ~(columns | left | right);

    if (columns == all)
        return 1;
    while (open) {
        const uint32_t queen = open & -open;

        open ^= queen;
        ways += place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

/* Counts the i-th pair of queens in the first two rows. */
static void pair(void *arg, unsigned i)
{
    struct board *b = arg;
    const uint32_t all = (1u << b->n) - 1;
    const uint32_t first = 1u << i / b->n;
    const uint32_t second = 1u << i % b->n;

    if ((second & (first | first << 1 | first >> 1)) == 0)
        __atomic_fetch_add(
            &b->ways,
            place(all, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1),
            __ATOMIC_RELAXED);
}

uint64_t queens(unsigned n, unsigned threads)
{
    struct board b = {n, 0};

    share(threads, n * n, pair, &b);
    return b.ways;
}
