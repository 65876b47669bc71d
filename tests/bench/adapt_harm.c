/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that a controller of parallel regions may harm: what their regions take depends on when
 * threads begin, wait and arrive, or is over before anything learned about it pays.
 *
 * usage: adapt_harm KIND [TIMES]    a row of the table below, and how often (1)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGIONS 25
#define WORDS   (48 * 1024)

static uint32_t words[WORDS];
static uint32_t sum;

static inline uint32_t steps(uint32_t x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 1664525U + 1013904223U;
    return x;
}

/* A lock for an addition after so many steps: with few, all threads wait for the lock. */
static void lock(int n, int iterations)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for
        for (int i = 0; i < iterations; i++) {
            const uint32_t x = steps((uint32_t)(i + k), n);
#pragma omp critical
            sum += x;
        }
    }
}

static void lock_tight(void)
{
    lock(20, 3000);
}

static void lock_loose(void)
{
    lock(400, 1000);
}

/* Steps in the critical section, too. */
static void lock_long(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for
        for (int i = 0; i < 1000; i++) {
            const uint32_t x = steps((uint32_t)(i + k), 200);
#pragma omp critical
            sum += steps(x, 60);
        }
    }
}

static void atomic(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for
        for (int i = 0; i < 12000; i++) {
            const uint32_t x = steps((uint32_t)(i + k), 20);
#pragma omp atomic
            sum += x;
        }
    }
}

/* The later an iteration, the longer: the last thread has seven times the work of the first. */
static void imbalance(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < 400; i++)
            sum += steps((uint32_t)(i + k), 10 * i);
    }
}

/* One thread has more to do in each execution, another one each time. */
static void uneven(void)
{
    for (int k = 0; k < 2 * REGIONS; k++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += steps((uint32_t)(i + k), i == k % 4 ? 120000 : 30000);
    }
}

/* Barriers inside: their threads arrive at different times. */
static void barriers(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel reduction(+ : sum)
        for (int j = 0; j < 40; j++) {
#pragma omp for
            for (int i = 0; i < 64; i++)
                sum += steps((uint32_t)(i + j + k), 60 + 8 * (i & 31));
        }
    }
}

/* Regions of about 150 us, and the whole program is over in some milliseconds. */
static void brief(void)
{
    for (int k = 0; k < 2 * REGIONS; k++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 400; i++)
            sum += steps((uint32_t)(i + k), 50);
    }
}

/* Regions of some 250 us: just long enough to be adapted. */
static void limit(void)
{
    for (int k = 0; k < 3 * REGIONS; k++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 700; i++)
            sum += steps((uint32_t)(i + k), 50);
    }
}

/* Two executions of some milliseconds each. */
static void twice(void)
{
    for (int k = 0; k < 2; k++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < WORDS; i++)
            sum += words[i] = steps((uint32_t)(i + k), 20);
    }
}

/* Sweeps over memory first, work in registers later, by the same region. */
static void region_of_two(int sweep, int k)
{
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 4000; i++) {
        if (sweep) {
            for (int j = 0; j < 12; j++)
                sum += words[(12 * i + j) % WORDS]++;
        } else {
            sum += steps((uint32_t)(i + k), 60);
        }
    }
}

static void phases(void)
{
    for (int k = 0; k < 4 * REGIONS; k++)
        region_of_two(k / REGIONS % 2 == 0, k);
}

static void alternating(void)
{
    for (int k = 0; k < 4 * REGIONS; k++)
        region_of_two(k % 2, k);
}

/* Another size in each execution. */
static void sizes(void)
{
    for (int k = 0; k < 3 * REGIONS; k++) {
        const int n = 500 + (int)(steps((uint32_t)k, 3) % 6000U);
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < n; i++)
            sum += steps((uint32_t)(i + k), 50);
    }
}

static const struct {
    const char *name;
    void (*fn)(void);
} kinds[] = {
    {"lock_tight", lock_tight}, {"lock_loose", lock_loose}, {"lock_long", lock_long},
    {"atomic", atomic},         {"imbalance", imbalance},   {"uneven", uneven},
    {"barriers", barriers},     {"brief", brief},           {"limit", limit},
    {"twice", twice},           {"phases", phases},         {"alternating", alternating},
    {"sizes", sizes},
};

int main(int argc, char **argv)
{
    const int times = argc == 3 ? atoi(argv[2]) : 1;

    for (size_t i = 0; (argc == 2 || argc == 3) && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, argv[1]) == 0) {
            for (int k = 0; k < times; k++)
                kinds[i].fn();
            printf("%s: %08lx\n", kinds[i].name, (unsigned long)sum);
            return EXIT_SUCCESS;
        }
    }
    fprintf(stderr, "adapt_harm: takes one kind of its table, and a number\n");
    return EXIT_FAILURE;
}
