/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More programs that a controller of parallel regions may harm, as adapt_harm.c, which has a layout
 * of its own.
 *
 * usage: adapt_harm_more KIND [TIMES]    a row of the table below, and how often (1)
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

/* Two locks, taken in turn by all threads: half of them wait for the other half. */
static void lock_two(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for schedule(static, 1)
        for (int i = 0; i < 2000; i++) {
            const uint32_t x = steps((uint32_t)(i + k), 60);
            if (i % 2 == 0) {
#pragma omp critical(even)
                words[0] += steps(x, 20);
            } else {
#pragma omp critical(odd)
                words[1] += steps(x, 20);
            }
        }
    }
    sum = words[0] + words[1];
}

/* Each thread writes its own word, all of them in one line of the cache. */
static void shared_line(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for schedule(static, 1)
        for (int i = 0; i < 8000; i++)
            words[i % 4] += steps((uint32_t)(i + k), 12);
    }
    sum = words[0] + words[1] + words[2] + words[3];
}

/* One thread does the work, the others wait for it, in every third execution. */
static void lonely(void)
{
    for (int k = 0; k < 2 * REGIONS; k++) {
        const int most = k % 3 == 0 ? 1 : 4;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += i < most ? steps((uint32_t)(i + k), 50000) : 0;
    }
}

/* Each execution has more work than the one before. */
static void growing(void)
{
    for (int k = 0; k < 2 * REGIONS; k++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 200 * (k + 1); i++)
            sum += steps((uint32_t)(i + k), 50);
    }
}

/* Sweeps over memory that are over before the controller has learned much. */
static void sweeps(void)
{
    for (int k = 0; k < 12; k++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < WORDS; i++)
            sum += words[i]++;
    }
}

/* A lock in a program of some 50 ms. */
static void lock_brief(void)
{
    for (int k = 0; k < 6; k++) {
#pragma omp parallel for
        for (int i = 0; i < 3000; i++) {
            const uint32_t x = steps((uint32_t)(i + k), 20);
#pragma omp critical
            sum += x;
        }
    }
}

/* A phase under a lock, one in registers, one over memory, again and again: three regions. */
static void rounds(void)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel for
        for (int i = 0; i < 1000; i++) {
            const uint32_t x = steps((uint32_t)(i + k), 20);
#pragma omp critical
            sum += x;
        }
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 2000; i++)
            sum += steps((uint32_t)(i + k), 80);
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < WORDS; i++)
            sum += words[i]++;
    }
}

static const struct {
    const char *name;
    void (*fn)(void);
} kinds[] = {
    {"lock_two", lock_two}, {"shared_line", shared_line}, {"lonely", lonely}, {"growing", growing},
    {"sweeps", sweeps},     {"lock_brief", lock_brief},   {"rounds", rounds},
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
    fprintf(stderr, "adapt_harm_more: takes one kind of its table, and a number\n");
    return EXIT_FAILURE;
}
