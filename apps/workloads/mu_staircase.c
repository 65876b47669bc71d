/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A staircase of lifetimes: thread i (0..N-1) is created i * S milliseconds
 * after the first and runs (watching the clock) for W * S milliseconds.
 * Expected in the profile, defaults N = 6, S = 10, W = 3, on 4 cores:
 *   thread i: created at i * 10 ms after the first, lifetime 30 ms, run all of
 *     it, block 0 (each within 0.2 ms)
 *   threads alive without main, per step of 10 ms: 1 2 3 3 3 3 2 1
 *   main: sleeps 50 ms, then waits in joins 30 ms; elapsed 80 ms
 * The program fails when a thread starts before its time or lives too short, or
 * with -x X when it is more than X microseconds late.
 */
#include "wl_common.h"
#include <pthread.h>

#define MAXSTEPS 32

static long steps = 6, step_ms = 10, width = 3, slack_us;
static uint64_t began[MAXSTEPS], ended[MAXSTEPS];

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint64_t until = (began[id] = wl_now_ns()) + (uint64_t)(width * step_ms) * 1000000u;
    while ((ended[id] = wl_now_ns()) < until)
        ;
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &steps, 1, MAXSTEPS, "threads"},
        {'m', &step_ms, 1, 10000, "milliseconds between them"},
        {'w', &width, 1, 100, "lifetime in steps"},
        {'x', &slack_us, 0, 1000000, "microseconds it may be late, 0 for any"},
        {0},
    };
    wl_options(argc, argv, opts);
    pthread_t tid[MAXSTEPS];
    uint64_t start = wl_now_ns(), late = 0, step = (uint64_t)step_ms * 1000000u;
    for (long i = 0; i < steps; i++) {
        uint64_t due = start + (uint64_t)i * step, now = wl_now_ns();
        if (now < due)
            wl_sleep_ns(due - now);
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    }
    for (long i = 0; i < steps; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    bool ok = true;
    for (long i = 0; i < steps; i++) {
        uint64_t due = start + (uint64_t)i * step;
        ok = ok && began[i] >= due && ended[i] - began[i] >= (uint64_t)width * step;
        uint64_t behind = ended[i] - due - (uint64_t)width * step;
        late = behind > late ? behind : late;
    }
    ok = ok && (slack_us == 0 || late <= (uint64_t)slack_us * 1000u);
    return wl_result("mu_staircase", ok, "threads=%ld step_ms=%ld latest_us=%lu", steps, step_ms,
                     (unsigned long)(late / 1000));
}
