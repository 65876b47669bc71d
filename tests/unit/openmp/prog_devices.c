/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Teams, target regions on the host, limits, cancellation of constructs, allocators. */
#include "prog.h"
#include <stdint.h>
#include <string.h>

static void teams(void)
{
    int seen = 0;
#pragma omp teams num_teams(3) thread_limit(2)
    {
        const int team = omp_get_team_num();
        const int teams = omp_get_num_teams();
#pragma omp parallel num_threads(4)
        {
            CHECK(omp_get_num_threads() <= 2 && omp_get_thread_limit() == 2);
            CHECK(omp_get_team_num() == team && omp_get_num_teams() == teams);
            if (omp_get_thread_num() == 0) {
#pragma omp atomic
                seen += 1 + team;
            }
        }
    }
    CHECK(seen >= 1);
#pragma omp parallel num_threads(4)
    CHECK(omp_get_team_num() == 0 && omp_get_num_teams() == 1);
}

/* A target region begins anew, wherever it stands. */
static void target(void)
{
#pragma omp parallel num_threads(3)
    {
        int level = -1, num = -1, threads = -1, inside = -1, limited = -1, limit = -1;
        const int tid = omp_get_thread_num();
#pragma omp target map(from : level, num, threads, inside, limited, limit) thread_limit(2)
        {
            level = omp_get_level();
            num = omp_get_thread_num();
            threads = omp_get_num_threads();
            inside = omp_in_parallel();
            limit = omp_get_thread_limit();
            limited = 0;
#pragma omp parallel num_threads(4) reduction(+ : limited)
            {
                limited++;
                wobble(omp_get_thread_num());
            }
        }
        CHECK(level == 0 && num == 0 && threads == 1 && inside == 0);
        CHECK(limit == 2 && limited >= 1 && limited <= 2);
        CHECK(omp_get_thread_num() == tid && omp_get_level() == 1);
        CHECK(omp_get_thread_limit() > 2);
    }
}

/* The construct's end depends on nothing around it that can be cancelled. */
__attribute__((noinline)) static void orphan(int *first, int *second)
{
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for
#pragma omp atomic
        ++*first;
    }
#pragma omp for
    for (int i = 0; i < 100; i++) {
#pragma omp cancellation point for
#pragma omp atomic
        ++*second;
    }
#pragma omp sections
    {
#pragma omp section
        {
#pragma omp cancel sections
        }
#pragma omp section
        {
#pragma omp cancellation point sections
            wobble(1);
        }
    }
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 100; i++) {
#pragma omp cancellation point for
#pragma omp atomic
        ++*second;
    }
}

static void cancel(int threads)
{
    int first = 0, second = 0;
#pragma omp parallel num_threads(threads)
    orphan(&first, &second);
    CHECK(first == (omp_get_cancellation() ? 0 : 100));
    CHECK(second == 200);
}

/* A task group is cancelled from within a construct with a task reduction. */
static void cancel_group(int threads)
{
    int late = 0, sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp taskgroup
    {
#pragma omp for reduction(task, + : sum) schedule(static)
        for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum)
            {
                sum++;
#pragma omp cancel taskgroup
            }
        }
#pragma omp task shared(late)
        {
#pragma omp atomic
            late++;
        }
    }
    CHECK(omp_get_cancellation() ? sum >= threads && sum <= 8 : sum == 8);
    CHECK(late == (omp_get_cancellation() ? 0 : threads));
}

static void allocators(void)
{
    const omp_alloctrait_t small[] = {
        {omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}, {omp_atk_alignment, 256}};
    const omp_alloctrait_t wrong[] = {{omp_atk_fallback, 99}};
    omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 3, small);
    void *p, *q;

    CHECK(omp_init_allocator(omp_default_mem_space, 1, wrong) == omp_null_allocator);
    p = omp_alloc(3000, a);
    CHECK(p && (uintptr_t)p % 256 == 0);
    CHECK(omp_alloc(3000, a) == NULL);
    {
        const omp_alloctrait_t chain[] = {{omp_atk_pool_size, 64},
                                          {omp_atk_fallback, omp_atv_allocator_fb},
                                          {omp_atk_fb_data, (uintptr_t)a}};
        omp_allocator_handle_t b = omp_init_allocator(omp_default_mem_space, 3, chain);

        q = omp_alloc(500, b); /* of a's pool */
        CHECK(q && (uintptr_t)q % 256 == 0);
        CHECK(omp_alloc(3000, b) == NULL);
        omp_free(q, b);
        omp_destroy_allocator(b);
    }
    omp_free(p, a);
    p = omp_alloc(3000, a);
    CHECK(p != NULL);
    p = omp_realloc(p, 100, omp_null_allocator, omp_null_allocator);
    CHECK(p && (uintptr_t)p % 256 == 0);
    omp_free(p, omp_null_allocator);
    omp_destroy_allocator(a);
    omp_set_default_allocator(omp_const_mem_alloc);
#pragma omp parallel num_threads(2)
    CHECK(omp_get_default_allocator() == omp_const_mem_alloc);
    omp_set_default_allocator(omp_default_mem_alloc);
}

static bool says(const char *format, const char *wanted)
{
    char text[80];
    const size_t n = omp_capture_affinity(text, sizeof(text), format);

    return n == strlen(wanted) && strcmp(text, wanted) == 0;
}

static void formats(void)
{
    char text[8], core[24];

    CHECK(says("%n of %N, %%, %L", "0 of 1, %, 0"));
    CHECK(says("[%4n|%.4n|%0.4n]", "[0   |   0|0000]"));
    CHECK(says("[%{team_num}/%{num_teams} %{nesting_level} %t%T]", "[0/1 0 01]"));
    CHECK(says("%.3a", " -1") && says("%{thread_num}", "0"));
    CHECK(omp_capture_affinity(text, sizeof(text), "%0.9n") == 9 && strcmp(text, "0000000") == 0);
    CHECK(omp_capture_affinity(core, sizeof(core), "%A") > 0 && core[0] >= '0' && core[0] <= '9');
    CHECK(omp_capture_affinity(NULL, 0, "%H%P%i") > 2);
#pragma omp parallel num_threads(2)
    {
        char mine[2] = {(char)('0' + omp_get_thread_num()), '\0'};

        CHECK(says("%n", mine) && says("%L%N%{ancestor_tnum}", "120"));
    }
    omp_set_affinity_format("thread %n");
    CHECK(says(NULL, "thread 0") && says("", "thread 0"));
    CHECK(omp_get_affinity_format(text, sizeof(text)) == 9 && strcmp(text, "thread ") == 0);
}

static void pauses(void)
{
    int n = 0;

    CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    CHECK(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0);
    CHECK(omp_pause_resource((omp_pause_resource_t)77, omp_get_initial_device()) != 0);
#pragma omp parallel num_threads(3) reduction(+ : n)
    n += 1 + (omp_pause_resource_all(omp_pause_soft) == 0);
    CHECK(n == 3);
}

static void copies(void)
{
    const size_t one[1] = {1}, none[1] = {0};
    const int host = omp_get_initial_device();
    int from = 3, to = 0;

    CHECK(omp_target_memcpy_rect(&to, &from, sizeof(to), 1, one, none, none, one, one, host,
                                 host) == 0 &&
          to == 3);
    CHECK(omp_target_memcpy_rect(NULL, &from, sizeof(to), 1, one, none, none, one, one, host,
                                 host) != 0);
    CHECK(omp_target_memcpy_rect(&to, NULL, sizeof(to), 1, one, none, none, one, one, host, host) !=
          0);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    omp_set_dynamic(0);
    if (getenv("OMP_AFFINITY_FORMAT"))
        CHECK(says(NULL, "from the environment 0"));
    CHECK(omp_get_default_allocator() ==
          (getenv("OMP_ALLOCATOR") ? omp_high_bw_mem_alloc : omp_default_mem_alloc));
    for (int r = 0; r < rounds; r++) {
        teams();
        target();
        for (int threads = 1; threads <= 4; threads++) {
            cancel(threads);
            cancel_group(threads);
        }
        allocators();
        formats();
        pauses();
        copies();
    }
    return finish();
}
