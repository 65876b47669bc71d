/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of preemption: more threads than cores, none of which gives way.
 * Floating-point and integer sequences that live in registers must come out as
 * computed alone; threads that spin on a flag must see it change although its
 * writer needs a core; 64-bit atomics (LDREXD on the target), compare-and-swap
 * and a lock made of it must hold.
 */
#include "wl_stress.h"
#include <math.h>

static long threads = 12, spinners = 7, work = 20, seed = 1;
static double alone[WL_MAXTHREADS];
static uint64_t big, flag;
static uint32_t word;
static long spin_count; /* under the spin lock */
static uint32_t spin;

/* Computes eight chains at once, so that all registers are in use all the time. */
static double chains(long id)
{
    double a = 1 + (double)id, b = 2, c = 3, d = 4, e = 0.5, f = 0.25, g = 7, h = 1;
    uint32_t x = (uint32_t)(id + seed), y = 77;
    for (long i = 0; i < work * 1000; i++) {
        a = a * 0.999 + b * 1e-3;
        b = b * 0.998 + c * 2e-3;
        c = c * 0.997 + d * 3e-3;
        d = d * 0.996 + e * 4e-3;
        e = e * 0.995 + f * 5e-3;
        f = f * 0.994 + g * 6e-3;
        g = g * 0.993 + h * 7e-3 + (double)(x >> 28);
        h = h * 0.992 + a * 8e-3;
        x = x * 1664525u + y;
        y = (y ^ x >> 7) + 3;
    }
    return a + b + c + d + e + f + g + h + (double)(x ^ y);
}

static void *registers(void *arg)
{
    long id = (long)(intptr_t)arg;
    WL_EXPECT(chains(id) == alone[id]);
    return NULL;
}

/* Waits, spinning, for the previous thread: without preemption this never ends. */
static void *relay(void *arg)
{
    uint64_t id = (uint64_t)(intptr_t)arg;
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != id)
        ;
    __atomic_store_n(&flag, id + 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *atomics(void *arg)
{
    long id = (long)(intptr_t)arg;
    for (long i = 0; i < work * 20; i++) {
        __atomic_fetch_add(&big, 0x100000001u, __ATOMIC_SEQ_CST);
        uint32_t old = __atomic_load_n(&word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&word, &old, old * 3 + 1 - 2 * old, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE))
            if (id & 1) /* half of them yield */
                sched_yield();
        spin_count++;
        __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 1, WL_MAXTHREADS, "threads"},
        {'r', &spinners, 1, WL_MAXTHREADS, "threads that spin"},
        {'n', &work, 1, 100000, "amount of work"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    for (long i = 0; i < threads; i++)
        alone[i] = chains(i);
    wl_team(threads, registers);
    wl_team(spinners, relay);
    WL_EXPECT(flag == (uint64_t)spinners);
    wl_team(threads, atomics);
    uint64_t times = (uint64_t)(threads * work * 20);
    WL_EXPECT(big == times * 0x100000001u);
    WL_EXPECT(word == (uint32_t)times);
    WL_EXPECT(spin_count == (long)times);
    return wl_result("st_preempt", wl_failures == 0, "threads=%ld work=%ld seed=%ld value=%.9f",
                     threads, work, seed, alone[0]);
}
