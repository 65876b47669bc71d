/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Radix sort in the manner of SPLASH-2's: each thread counts the digits of its
 * part, ranks go from thread to thread (a chain of condition variables), then
 * all permute at once, which writes all over the other cores' lines.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_common.h"
#include <pthread.h>

#define RADIX      256
#define PASSES     4
#define MAXTHREADS 64

static long n = 80000, threads = 4, seed = 1;
static uint32_t *key[2];
static uint32_t count[MAXTHREADS][RADIX], start[MAXTHREADS][RADIX];
static uint32_t total[RADIX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static long turn; /* pass * threads + id of the thread whose turn it is to rank */
static pthread_barrier_t barrier;

static void wait_all(void)
{
    int r = pthread_barrier_wait(&barrier);
    if (r != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(r);
}

/* Ranks in the order of the threads: my keys of each digit follow those of earlier threads. */
static void rank_in_turn(long id, long pass)
{
    WL_MUST(pthread_mutex_lock(&lock));
    while (turn != pass * threads + id)
        WL_MUST(pthread_cond_wait(&turn_changed, &lock));
    for (int d = 0; d < RADIX; d++) {
        start[id][d] = id == 0 ? 0 : start[id - 1][d] + count[id - 1][d];
        if (id == threads - 1)
            total[d] = start[id][d] + count[id][d];
    }
    turn++;
    WL_MUST(pthread_cond_broadcast(&turn_changed));
    WL_MUST(pthread_mutex_unlock(&lock));
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg, lo = n * id / threads, hi = n * (id + 1) / threads;
    for (long pass = 0; pass < PASSES; pass++) {
        const uint32_t *from = key[pass & 1];
        uint32_t *to = key[(pass + 1) & 1];
        unsigned shift = (unsigned)pass * 8;
        memset(count[id], 0, sizeof count[id]);
        for (long i = lo; i < hi; i++)
            count[id][from[i] >> shift & (RADIX - 1)]++;
        rank_in_turn(id, pass);
        wait_all();
        uint32_t before = 0;
        for (int d = 0; d < RADIX; d++) {
            start[id][d] += before;
            before += total[d];
        }
        for (long i = lo; i < hi; i++)
            to[start[id][from[i] >> shift & (RADIX - 1)]++] = from[i];
        wait_all();
    }
    return NULL;
}

static void sums(uint32_t out[2])
{
    out[0] = out[1] = 0;
    for (long i = 0; i < n; i++) {
        out[0] += key[0][i];
        out[1] += key[0][i] * key[0][i];
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 4000000, "keys"},
        {'t', &threads, 1, MAXTHREADS, "threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    uint32_t state = (uint32_t)seed, before[2], after[2];
    for (int i = 0; i < 2; i++)
        key[i] = wl_alloc((size_t)n, sizeof **key);
    for (long i = 0; i < n; i++)
        key[0][i] = wl_rand(&state);
    sums(before);

    pthread_t tid[MAXTHREADS];
    WL_MUST(pthread_barrier_init(&barrier, NULL, (unsigned)threads));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));

    sums(after);
    bool ok = before[0] == after[0] && before[1] == after[1];
    for (long i = 1; i < n; i++)
        ok = ok && key[0][i - 1] <= key[0][i];
    uint32_t sum = wl_hash(WL_HASH_INIT, key[0], (size_t)n * sizeof **key);
    free(key[0]);
    free(key[1]);
    return wl_result("radix", ok, "n=%ld threads=%ld sum=%08lx", n, threads, (unsigned long)sum);
}
