/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cancellation: what must not happen any more after it, and that regions work again later. */
#include "prog.h"

static void region(int threads)
{
    int before = 0, after = 0;
    bool can = omp_get_cancellation() != 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
        before++;
        wobble(omp_get_thread_num());
#pragma omp barrier
        if (omp_get_thread_num() == threads - 1) {
#pragma omp cancel parallel
        }
        /* Nobody passes: the thread that cancelled never arrives here. */
#pragma omp barrier
#pragma omp atomic
        after++;
    }
    CHECK(before == threads);
    CHECK(after == (can ? 0 : threads));
}

static void point(int threads)
{
    int late = 0;
    bool can = omp_get_cancellation() != 0;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
        for (int i = 0; can; i++) {
#pragma omp cancellation point parallel
            wobble(i);
        }
#pragma omp atomic
        late++;
    }
    CHECK(late == (can ? 0 : threads));
}

static void loop(int threads, bool dynamic)
{
    int done = 0, out = 0;
    bool can = omp_get_cancellation() != 0;
    omp_set_schedule(dynamic ? omp_sched_dynamic : omp_sched_static, 1);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; i++) {
#pragma omp cancellation point for
#pragma omp atomic
            done++;
            if (i == 3) {
#pragma omp cancel for
            }
            wobble(i);
        }
#pragma omp atomic
        out++;
#pragma omp for
        for (int i = 0; i < 100; i++) {
#pragma omp cancellation point for
#pragma omp atomic
            out++;
        }
    }
    CHECK(can ? done >= 1 && done < 1000 + threads : done == 1000);
    CHECK(out == threads + 100);
}

static void sections(int threads)
{
    int done = 0, out = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
#pragma omp atomic
                done++;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
                wobble(3);
            }
        }
#pragma omp atomic
        out++;
    }
    CHECK(done == (omp_get_cancellation() ? 0 : 1));
    CHECK(out == threads);
}

static void tasks(int threads)
{
    int begun = 0, after = 0;
    bool can = omp_get_cancellation() != 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (int i = 0; i < 200; i++) {
#pragma omp task
                {
                    int n;
#pragma omp atomic capture
                    n = ++begun;
                    if (n == 5) {
#pragma omp cancel taskgroup
                    }
                    wobble(i);
                }
            }
        }
        for (int i = 0; i < 20; i++) {
#pragma omp task
            {
#pragma omp atomic
                after++;
            }
        }
    }
    CHECK(can ? begun >= 5 && begun <= 200 : begun == 200);
    CHECK(after == 20);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    int most = argc > 2 ? atoi(argv[2]) : 6;
    omp_set_dynamic(0);
    for (int r = 0; r < rounds; r++) {
        for (int threads = 1; threads <= most; threads++) {
            region(threads);
            point(threads);
            loop(threads, false);
            loop(threads, true);
            sections(threads);
            tasks(threads);
        }
    }
    return finish();
}
