/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts placements of queens, whose numbers are known, and packs a knapsack, which a table
 * confirms. */
#include "../wl_common.h"
#include "trees.h"

int main(int argc, char **argv)
{
    static const uint64_t known[] = {2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
    long n = 9, things = 30, threads = 4, seed = 1;
    const struct wl_opt opts[] = {
        {'n', &n, 4, 14, "queens"},
        {'k', &things, 6, 48, "things"},
        {'t', &threads, 1, 64, "threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    struct thing thing[48];
    uint32_t state = (uint32_t)seed;
    unsigned weight = 0;
    uint64_t nodes;

    for (long i = 0; i < things; i++) {
        thing[i].weight = 50 + wl_below(&state, 150);
        thing[i].value = thing[i].weight + 10 + wl_below(&state, 40);
        weight += thing[i].weight;
    }
    const uint64_t ways = queens((unsigned)n, (unsigned)threads);
    const unsigned best = knapsack(thing, (unsigned)things, weight / 2, (unsigned)threads, &nodes);
    const bool ok = ways == known[n - 4] && nodes > 0 &&
                    best == knapsack_table(thing, (unsigned)things, weight / 2);
    return wl_result("search", ok, "queens=%ld ways=%lu things=%ld best=%u", n, (unsigned long)ways,
                     things, best);
}
