/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of OpenMP synchronisation: barrier, critical (named and not), atomic
 * (update, read, write, capture; 32 and 64 bits, double), single with and
 * without nowait and copyprivate, master, locks simple and nested, and a flag
 * with flush that one thread spins on.
 */
#include "wl_openmp.h"

static long rounds = 30, seed;

/* Does some work, so that threads meet differently. */
static void jitter(uint32_t *state)
{
    uint32_t n = wl_below(state, 4) * wl_below(state, 100);
    for (volatile uint32_t i = 0; i < n; i++)
        ;
}

static void barriers(void)
{
    long mark[64] = {0}, wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        int id = omp_get_thread_num(), team = omp_get_num_threads();
        uint32_t state = (uint32_t)(seed + id);
        for (long r = 1; r <= rounds; r++) {
            jitter(&state);
            mark[id] = r;
#pragma omp barrier
            for (int i = 0; i < team; i++)
                wrong += mark[i] != r;
#pragma omp barrier
        }
    }
    WL_HOLDS(wrong == 0, "barrier");
}

static void exclusion(void)
{
    long a = 0, b = 0, c = 0, team = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
    {
        uint32_t state = (uint32_t)(seed + 100 + omp_get_thread_num());
#pragma omp master
        team = omp_get_num_threads();
        for (long r = 0; r < rounds; r++) {
#pragma omp critical
            {
                long seen = a;
                jitter(&state);
                a = seen + 1;
            }
#pragma omp critical(other)
            {
                long seen = b;
                jitter(&state);
                b = seen + 1;
            }
            if (wl_below(&state, 3) == 0)
                while (!omp_test_lock(&lock))
                    ;
            else
                omp_set_lock(&lock);
            long seen = c;
            jitter(&state);
            c = seen + 1;
            omp_unset_lock(&lock);
        }
    }
    WL_HOLDS(a == team * rounds && b == team * rounds, "critical");
    WL_HOLDS(c == team * rounds, "lock");
    omp_set_lock(&lock);
    WL_HOLDS(!omp_test_lock(&lock), "test of a lock that is set");
    omp_unset_lock(&lock);

    long d = 0;
#pragma omp parallel
    {
        uint32_t state = (uint32_t)(seed + 200 + omp_get_thread_num());
        for (long r = 0; r < rounds; r++) {
            int depth = 1 + (int)wl_below(&state, 3);
            for (int i = 0; i < depth; i++)
                omp_set_nest_lock(&nest);
            long seen = d;
            WL_HOLDS(omp_test_nest_lock(&nest) == depth + 1, "depth of a nested lock");
            jitter(&state);
            d = seen + 1;
            for (int i = 0; i <= depth; i++)
                omp_unset_nest_lock(&nest);
        }
    }
    WL_HOLDS(d == team * rounds, "nested lock");
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

static void atomics(void)
{
    long team = 0;
    int32_t a = 0;
    uint64_t b = 0;
    double c = 0;
    uint32_t parity = 0, seen_sum = 0, ticket = 0;
    int8_t small = 0;
#pragma omp parallel
    {
#pragma omp master
        team = omp_get_num_threads();
        for (long r = 0; r < rounds * 20; r++) {
            uint32_t mine;
#pragma omp atomic
            a++;
#pragma omp atomic
            b += 0x100000001u;
#pragma omp atomic
            c += 0.5;
#pragma omp atomic
            parity ^= (uint32_t)r;
#pragma omp atomic
            small -= 1;
#pragma omp atomic capture
            mine = ticket++;
#pragma omp atomic
            seen_sum += mine;
            int32_t now;
#pragma omp atomic read
            now = a;
            WL_HOLDS(now > 0, "atomic read");
        }
    }
    uint32_t times = (uint32_t)(team * rounds * 20);
    WL_HOLDS(a == (int32_t)times && b == times * 0x100000001u, "atomic integers");
    WL_HOLDS(c == 0.5 * times, "atomic double");
    WL_HOLDS(ticket == times && seen_sum == (uint32_t)((uint64_t)times * (times - 1) / 2),
             "atomic capture");
    WL_HOLDS(small == (int8_t)(0u - times), "atomic byte");
    uint32_t once = 0;
    for (long r = 0; r < rounds * 20; r++)
        once ^= (uint32_t)r;
    WL_HOLDS(parity == (team % 2 ? once : 0), "atomic xor");
}

static void singles(void)
{
    long runs = 0, loose = 0, masters = 0, wrong = 0, team = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        for (long r = 0; r < rounds; r++) {
            long value = -1;
#pragma omp single
            {
                runs++;
                team = omp_get_num_threads();
            }
            wrong += runs != r + 1;
#pragma omp barrier
#pragma omp single nowait
            {
#pragma omp atomic
                loose++;
            }
#pragma omp single copyprivate(value)
            value = r * 3 + 1;
            wrong += value != r * 3 + 1;
#pragma omp master
            masters += omp_get_thread_num() == 0;
#pragma omp barrier
        }
    }
    WL_HOLDS(runs == rounds && loose == rounds && wrong == 0, "single");
    WL_HOLDS(masters == rounds && team > 0, "master");
}

/* Spins in thread 1 on a flag that thread 0 sets: needs a core for each, or preemption. */
static void flag_and_flush(void)
{
    long data = 0, got = -1;
    int flag = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_num_threads() == 2) {
            if (omp_get_thread_num() == 0) {
                data = 77;
#pragma omp flush
#pragma omp atomic write
                flag = 1;
            } else {
                int seen = 0;
                while (!seen) {
#pragma omp flush
#pragma omp atomic read
                    seen = flag;
                }
#pragma omp flush
                got = data;
            }
        } else {
            got = 77;
        }
    }
    WL_HOLDS(got == 77, "flag and flush");
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(argc, argv, (struct wl_opt){'n', &rounds, 1, 1000000, "rounds"});
    barriers();
    exclusion();
    atomics();
    singles();
    flag_and_flush();
    return wl_result("so_sync", wl_failures == 0, "rounds=%ld seed=%ld", rounds, seed);
}
