/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB IS: rank integer keys by counting, several times, with a
 * few keys changed between the iterations.
 * Regions: keys; ranking (count with a histogram per thread, prefix by one
 * thread while the others wait, place); putting in order; check.
 * Checked: ranks are a permutation that puts the keys in order.
 */
#include "wl_common.h"
#include <omp.h>

#define MAXTHREADS 64

static const long class_keys[] = {4000, 30000, 120000, 500000};
static const long class_range[] = {512, 2048, 8192, 32768};

static long class = 1, threads, iterations = 10, seed = 1, n, range;
static uint32_t *key, *rank, *order;
static uint32_t *count; /* [thread][range] */

/* Turns counts into places: values in order, within a value the threads in order. */
static void prefix(int team)
{
    uint32_t before = 0;
    for (long v = 0; v < range; v++) {
        for (int t = 0; t < team; t++) {
            uint32_t c = count[t * range + v];
            count[t * range + v] = before;
            before += c;
        }
    }
}

/* Ranks the keys. Both loops are static, so a thread ranks the keys it has counted. */
static void rank_keys(void)
{
#pragma omp parallel
    {
        uint32_t *mine = count + (long)omp_get_thread_num() * range;
        memset(mine, 0, (size_t)range * sizeof *mine);
#pragma omp for schedule(static)
        for (long i = 0; i < n; i++)
            mine[key[i]]++;
#pragma omp single
        prefix(omp_get_num_threads());
#pragma omp for schedule(static)
        for (long i = 0; i < n; i++)
            rank[i] = mine[key[i]]++;
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'c', &class, 0, 3, "class: 4000, 30000, 120000 or 500000 keys"},
        {'i', &iterations, 1, 1000, "iterations"},
        {'t', &threads, 0, MAXTHREADS, "threads, 0 as the environment says"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (threads > 0)
        omp_set_num_threads((int)threads);
    if (omp_get_max_threads() > MAXTHREADS)
        omp_set_num_threads(MAXTHREADS);
    n = class_keys[class];
    range = class_range[class];
    key = wl_alloc((size_t)n, sizeof *key);
    rank = wl_alloc((size_t)n, sizeof *rank);
    order = wl_alloc((size_t)n, sizeof *order);
    count = wl_alloc((size_t)(range * MAXTHREADS), sizeof *count);
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        uint32_t state = (uint32_t)seed + (uint32_t)i * 2654435769u, sum = 0;
        for (int k = 0; k < 4; k++) /* nearly a normal distribution, as in NPB */
            sum += wl_below(&state, (uint32_t)range / 4);
        key[i] = sum;
    }

    for (long it = 0; it < iterations; it++) {
        key[it % n] = (uint32_t)(it % range);
        key[(it + iterations) % n] = (uint32_t)(range - 1 - it % range);
        rank_keys();
    }

    memset(order, 0xff, (size_t)n * sizeof *order);
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (rank[i] < (uint32_t)n)
            order[rank[i]] = key[i];
    long wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (long i = 0; i < n; i++)
        wrong += order[i] == UINT32_MAX || (i > 0 && order[i - 1] > order[i]);
    uint32_t sum = wl_hash(WL_HASH_INIT, order, (size_t)n * sizeof *order);
    free(key);
    free(rank);
    free(order);
    free(count);
    return wl_result("omp_is", wrong == 0, "keys=%ld range=%ld iterations=%ld sum=%08lx", n, range,
                     iterations, (unsigned long)sum);
}
