/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of barriers: one for all threads and one per group, many rounds. After
 * the barrier everyone must see what everyone did before it; exactly one thread
 * per round becomes the serial one.
 */
#include "wl_stress.h"

#define GROUP 4

static long threads = 64, rounds = 25, seed = 1;
static pthread_barrier_t all, group[WL_MAXTHREADS / GROUP];
static long mark[WL_MAXTHREADS]; /* plain: ordered by the barriers alone */
static long serial_all, serial_group;

static long group_size(long g)
{
    return (g + 1) * GROUP <= threads ? GROUP : threads - g * GROUP;
}

static void meet(pthread_barrier_t *b, long *serial)
{
    int r = pthread_barrier_wait(b);
    WL_EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
    if (r == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_fetch_add(serial, 1, __ATOMIC_RELAXED);
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg, g = id / GROUP;
    uint32_t state = wl_seed(seed, arg);
    for (long r = 1; r <= rounds; r++) {
        wl_jitter(&state);
        mark[id] = r;
        meet(&all, &serial_all);
        for (long i = 0; i < threads; i++)
            WL_EXPECT(mark[i] == r);
        meet(&all, &serial_all);
        mark[id] = -r;
        meet(&group[g], &serial_group);
        for (long i = g * GROUP; i < g * GROUP + group_size(g); i++)
            WL_EXPECT(mark[i] == -r);
        meet(&group[g], &serial_group);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 1, WL_MAXTHREADS, "threads"},
        {'n', &rounds, 1, 1000000, "rounds"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    long groups = (threads + GROUP - 1) / GROUP;
    WL_EXPECT(pthread_barrier_init(&all, NULL, 0) == EINVAL);
    WL_MUST(pthread_barrier_init(&all, NULL, (unsigned)threads));
    for (long g = 0; g < groups; g++)
        WL_MUST(pthread_barrier_init(&group[g], NULL, (unsigned)group_size(g)));

    wl_team(threads, worker);

    WL_EXPECT(serial_all == 2 * rounds);
    WL_EXPECT(serial_group == 2 * rounds * groups);
    WL_MUST(pthread_barrier_destroy(&all));
    for (long g = 0; g < groups; g++)
        WL_MUST(pthread_barrier_destroy(&group[g]));
    return wl_result("st_barrier", wl_failures == 0, "threads=%ld rounds=%ld seed=%ld", threads,
                     rounds, seed);
}
