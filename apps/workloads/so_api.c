/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The OpenMP library calls and the environment: numbers of threads, levels and
 * ancestors, nested regions (serial and, where the runtime allows, active),
 * teams that grow and shrink, schedule settings, limits, clocks, and regions
 * opened from several pthreads at once.
 * With OMP_NUM_THREADS or OMP_SCHEDULE in the environment what they say must be
 * what the calls report.
 */
#include "wl_openmp.h"
#include <pthread.h>

static long rounds = 5, seed = 1;

static void environment(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    if (text && atoi(text) > 0)
        WL_HOLDS(omp_get_max_threads() == atoi(text), "OMP_NUM_THREADS");
    WL_HOLDS(omp_get_max_threads() >= 1 && omp_get_num_procs() >= 1, "threads and processors");
    WL_HOLDS(omp_get_thread_limit() >= omp_get_max_threads(), "thread limit");

    omp_sched_t kind;
    int chunk = 0;
    omp_get_schedule(&kind, &chunk);
    text = getenv("OMP_SCHEDULE");
    if (text && strncmp(text, "guided,", 7) == 0)
        WL_HOLDS((kind & 0xff) == omp_sched_guided && chunk == atoi(text + 7), "OMP_SCHEDULE");
    omp_set_schedule(omp_sched_dynamic, 9);
    omp_get_schedule(&kind, &chunk);
    WL_HOLDS((kind & 0xff) == omp_sched_dynamic && chunk == 9, "set and get schedule");
}

static void serial_part(void)
{
    WL_HOLDS(omp_get_num_threads() == 1 && omp_get_thread_num() == 0, "one thread outside");
    WL_HOLDS(!omp_in_parallel() && omp_get_level() == 0 && omp_get_active_level() == 0, "level 0");
    WL_HOLDS(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1, "ancestor 0");
    WL_HOLDS(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(3) == -1, "no such level");
    WL_HOLDS(!omp_in_final(), "not in a final task");
    omp_set_dynamic(0);
    WL_HOLDS(!omp_get_dynamic(), "dynamic");
    double start = omp_get_wtime();
    wl_sleep_ns(3000000);
    double took = omp_get_wtime() - start;
    WL_HOLDS(took >= 0.003 && took < 60 && omp_get_wtick() > 0, "wtime");
}

static void levels(int outer, int inner, int active)
{
    int ran = 0, sum = 0, team = 0;
    /* An outer region of one thread is not active and does not count. */
    int inner_size = active > 1 || outer == 1 ? inner : 1;
    omp_set_max_active_levels(active);
    WL_HOLDS(omp_get_max_active_levels() == active, "max active levels");
#pragma omp parallel num_threads(outer)
    {
        int id = omp_get_thread_num();
#pragma omp master
        team = omp_get_num_threads();
        WL_HOLDS(omp_get_level() == 1, "level 1");
#pragma omp parallel num_threads(inner)
        {
            int size = omp_get_num_threads();
            WL_HOLDS(size == inner_size, "size of the inner team");
            WL_HOLDS(omp_get_level() == 2, "level 2");
            WL_HOLDS(omp_get_ancestor_thread_num(1) == id, "ancestor 1");
            WL_HOLDS(omp_get_ancestor_thread_num(2) == omp_get_thread_num(), "ancestor 2");
            WL_HOLDS(omp_get_team_size(1) == outer && omp_get_team_size(2) == size, "team sizes");
            WL_HOLDS(omp_get_active_level() == (outer > 1) + (size > 1), "active level");
#pragma omp atomic
            ran++;
#pragma omp for reduction(+ : sum)
            for (int i = 0; i < 10; i++)
                sum += i;
        }
        WL_HOLDS(omp_get_level() == 1 && omp_get_thread_num() == id, "back on level 1");
    }
    WL_HOLDS(team == outer, "size of the outer team");
    WL_HOLDS(ran == outer * inner_size, "inner threads");
    (void)sum; /* shared by all inner teams: only its barriers matter here */
    omp_set_max_active_levels(1);
}

/* Checks that values set inside a region hold there alone. */
static void own_settings(void)
{
    int before = omp_get_max_threads();
#pragma omp parallel num_threads(3)
    {
        omp_set_num_threads(omp_get_thread_num() + 2);
        WL_HOLDS(omp_get_max_threads() == omp_get_thread_num() + 2, "set_num_threads in a region");
    }
    WL_HOLDS(omp_get_max_threads() == before, "set_num_threads stays inside");
    omp_set_num_threads(2);
    int team = 0;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    WL_HOLDS(team == 2, "set_num_threads outside");
    omp_set_num_threads(before);
}

static void changing_teams(uint32_t *state)
{
    for (int k = 0; k < 20; k++) {
        int want = 1 + (int)wl_below(state, 8), ran = 0;
#pragma omp parallel num_threads(want)
        {
#pragma omp atomic
            ran++;
#pragma omp barrier
            WL_HOLDS(ran == want, "team of changing size");
        }
    }
}

/* Checks that a region opened by a pthread has a team of its own. */
static void *own_team(void *arg)
{
    long sum = 0;
    int team = 0;
    for (int k = 0; k < 5; k++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
#pragma omp single
            team = omp_get_num_threads();
#pragma omp for
            for (long i = 0; i < 100; i++)
                sum += i;
        }
        WL_HOLDS(team == 3, "team of a pthread");
    }
    WL_HOLDS(sum == 5 * 4950, "work of a pthread's team");
    return arg;
}

static void from_pthreads(void)
{
    pthread_t tid[3];
    for (int i = 0; i < 3; i++)
        WL_MUST(pthread_create(&tid[i], NULL, own_team, NULL));
    own_team(NULL);
    for (int i = 0; i < 3; i++)
        WL_MUST(pthread_join(tid[i], NULL));
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &rounds, 1, 1000000, "rounds"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    uint32_t state = (uint32_t)seed;
    environment();
    serial_part();
    for (long r = 0; r < rounds; r++) {
        levels(1 + (int)wl_below(&state, 4), 1 + (int)wl_below(&state, 4), 1);
        own_settings();
        changing_teams(&state);
    }
    from_pthreads();
    return wl_result("so_api", wl_failures == 0, "rounds=%ld seed=%ld", rounds, seed);
}
