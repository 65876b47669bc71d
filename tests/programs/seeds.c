/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program whose time depends on who gets a contended line, and with an argument its exit status,
 * too: for tests/sim/seeds.py.
 *   seeds [ROUNDS=500 [x|h]]
 * Four threads push by compare-and-swap. Prints that it ends; if the time was an odd number of
 * 4 us, it exits with 3 with x, and does not end with h.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpj.h"

#define THREADS 4
#define STEP_NS 4000U

static atomic_uint top;
static unsigned rounds = 500;

static void *pusher(void *arg)
{
    for (unsigned i = 0; i < rounds; i++) {
        unsigned seen = atomic_load(&top);
        while (!atomic_compare_exchange_weak(&top, &seen, seen + 1))
            continue;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    uint64_t begin;
    bool odd;

    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : rounds;
    begin = mpj_time_ns();
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, pusher, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    puts(top == THREADS * rounds ? "pushed" : "lost");
    odd = argc > 2 && (mpj_time_ns() - begin) / STEP_NS % 2 == 1;
    while (odd && argv[2][0] == 'h')
        continue;
    return odd ? 3 : 0;
}
