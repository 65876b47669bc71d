/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../wl_common.h"
#include "trees.h"

#define MOST_THINGS 48u
#define SPLIT       6u /* items whose choice is shared among threads */

struct knapsack {
    struct thing thing[MOST_THINGS]; /* the highest value per weight first */
    unsigned n, limit, best;
    uint64_t nodes;
};

static int by_worth(const void *left, const void *right)
{
    const struct thing *a = left;
    const struct thing *b = right;
    const unsigned long l = (unsigned long)a->value * b->weight;
    const unsigned long r = (unsigned long)b->value * a->weight;

    return l != r ? (l < r ? 1 : -1) : (int)a->weight - (int)b->weight;
}

/* Returns an upper bound: the rest in the order of value per weight, the last item in part. */
static unsigned bound(const struct knapsack *k, unsigned i, unsigned left, unsigned value)
{
    for (; i < k->n && k->thing[i].weight <= left; i++) {
        left -= k->thing[i].weight;
        value += k->thing[i].value;
    }
    return i < k->n ? value + left * k->thing[i].value / k->thing[i].weight : value;
}

static void better(struct knapsack *k, unsigned value)
{
    unsigned best = __atomic_load_n(&k->best, __ATOMIC_RELAXED);

    while (value > best && !__atomic_compare_exchange_n(&k->best, &best, value, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static uint64_t branch(struct knapsack *k, unsigned i, unsigned left, unsigned value)
{
    uint64_t nodes = 1;

    better(k, value);
    if (i == k->n || bound(k, i, left, value) <= __atomic_load_n(&k->best, __ATOMIC_RELAXED))
        return nodes;
    if (k->thing[i].weight <= left)
        nodes += branch(k, i + 1, left - k->thing[i].weight, value + k->thing[i].value);
    return nodes + branch(k, i + 1, left, value);
}

/* Tries the first items as the bits say, most first: the greedy choice comes first. */
static void begin(void *arg, unsigned bits)
{
    struct knapsack *k = arg;
    unsigned left = k->limit;
    unsigned value = 0;

    for (unsigned i = 0; i < SPLIT; i++) {
        if (bits >> i & 1u)
            continue;
        if (k->thing[i].weight > left)
            return;
        left -= k->thing[i].weight;
        value += k->thing[i].value;
    }
    __atomic_fetch_add(&k->nodes, branch(k, SPLIT, left, value), __ATOMIC_RELAXED);
}

unsigned knapsack(const struct thing *thing, unsigned n, unsigned limit, unsigned threads,
                  uint64_t *nodes)
{
    struct knapsack k = {.n = n, .limit = limit};

    memcpy(k.thing, thing, n * sizeof(*thing));
    qsort(k.thing, n, sizeof(*thing), by_worth);
    share(threads, 1u << SPLIT, begin, &k);
    *nodes = k.nodes;
    return k.best;
}

unsigned knapsack_table(const struct thing *thing, unsigned n, unsigned limit)
{
    unsigned *best = wl_alloc(limit + 1u, sizeof(*best));

    for (unsigned i = 0; i < n; i++) {
        for (unsigned w = limit; w >= thing[i].weight; w--) {
            const unsigned with = best[w - thing[i].weight] + thing[i].value;

            if (with > best[w])
                best[w] = with;
        }
    }
    const unsigned result = best[limit];
    free(best);
    return result;
}
