/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four threads in phases with barriers. Seeds of blame-proof replace lines. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define N       48
#define STEPS   6
#define THREADS 4
#define OUTLINE __attribute__((noinline)) static

static double grid[2][N][N];
static double part[THREADS][8];
static double total;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

OUTLINE void start(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            grid[0][i][k] = grid[1][i][k] = i * k % 7;
}

OUTLINE void share(int id, int *from, int *to)
{
    *from = 1 + id * (N - 2) / THREADS;
    *to = 1 + (id + 1) * (N - 2) / THREADS;
}

static double mean(double a, double b, double c, double d) /* inlined */
{
    return (a + b + c + d) * 0.25;
}

OUTLINE void relax(int step, int from, int to)
{
    double(*const a)[N] = grid[step & 1];
    double(*const b)[N] = grid[1 - (step & 1)];
    for (int i = from; i < to; i++)
        for (int k = 1; k < N - 1; k++)
            b[i][k] = mean(a[i - 1][k], a[i + 1][k], a[i][k - 1], a[i][k + 1]);
}

OUTLINE void norm(int step, int id, int from, int to)
{
    double(*const b)[N] = grid[1 - (step & 1)];
    double sum = 0;
    for (int i = from; i < to; i++)
        for (int k = 1; k < N - 1; k++)
            sum += b[i][k] * b[i][k];
    part[id][0] = sum;
}

OUTLINE void combine(void)
{
    pthread_mutex_lock(&lock);
    total = 0;
    for (int i = 0; i < THREADS; i++)
        total += part[i][0];
    pthread_mutex_unlock(&lock);
}

OUTLINE void meet(void)
{
    pthread_barrier_wait(&barrier);
}

static void *worker(void *arg)
{
    const int id = (int)(intptr_t)arg;
    int from;
    int to;
    share(id, &from, &to);
    for (int step = 0; step < STEPS; step++) {
        relax(step, from, to);
        meet();
        norm(step, id, from, to);
        meet();
        if (id == 0)
            combine();
        meet();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    start();
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 1; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
    worker(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%.6f\n", total);
    return 0;
}
