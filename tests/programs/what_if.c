/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs whose cost is changed, by the source or by `mpjoule run --what-if`: what_if.py. */
#include <pthread.h>
#include <stdio.h>

#ifndef MIX
#define MIX 1000
#endif
#ifndef SCALE
#define SCALE 400
#endif
#ifndef SPAN /* KB that an access may be in */
#ifdef CASE_FAR
#define SPAN 4096
#else
#define SPAN 128
#endif
#endif
#ifndef gate_lock
#define gate_lock(m)   pthread_mutex_lock(m)
#define gate_unlock(m) pthread_mutex_unlock(m)
#endif
#ifdef NO_CRITICAL
#define CRITICAL
#else
#define CRITICAL _Pragma("omp critical(critical)")
#endif

#define THREADS 4

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned sum, fill[15];
} part[THREADS] __attribute__((aligned(64)));

__attribute__((noinline)) unsigned mix(unsigned x)
{
    for (int i = 0; i < MIX; i++)
        x = x * 1664525U + 1013904223U;
    return x;
}

__attribute__((noinline)) float scale(float x)
{
    for (int i = 0; i < SCALE; i++)
        x = x * 0.999F + 0.001F;
    return x;
}

/* Not to be changed. */
__attribute__((noinline)) unsigned other(unsigned x)
{
    for (int i = 0; i < 400; i++)
        x = x * 22695477U + 1U;
    return x;
}

#if defined(CASE_PARALLEL) || defined(CASE_LOCKED)
static void *work(void *arg)
{
    unsigned *const sum = &part[(int)(size_t)arg].sum;

    for (int i = 0; i < 60; i++) {
#ifdef CASE_LOCKED
        gate_lock(&gate);
        *sum += mix(*sum);
        gate_unlock(&gate);
#else
        *sum += mix(*sum) + other(*sum);
#endif
    }
    return NULL;
}
#endif

#if defined(CASE_STREAM) || defined(CASE_FAR)
unsigned data[(4096 << 10) / sizeof(unsigned)];

/* A line after the other, in as much of the data as there is to be. */
static unsigned run(void)
{
    const unsigned mask = (SPAN << 10) / sizeof(unsigned) - 1U;
    unsigned sum = 0;

    for (unsigned i = 0; i < 60000 * 8; i += 8) {
        sum += data[i & mask];
        sum = sum * 3U + 1U;
        sum = sum * 5U + 1U;
    }
    return sum;
}
#elif defined(CASE_VFP)
static unsigned run(void)
{
    float x = 1;

    for (int i = 0; i < 60; i++)
        x = scale(x) + (float)(other((unsigned)i) & 1U);
    return (unsigned)x;
}
#elif defined(CASE_CRITICAL)
static unsigned run(void)
{
#pragma omp parallel for schedule(static) num_threads(THREADS)
    for (int k = 0; k < THREADS; k++) {
        for (int i = 0; i < 60; i++) {
            CRITICAL
            {
                part[k].sum += mix(part[k].sum);
            }
            part[k].sum += other(part[k].sum);
        }
    }
    return part[0].sum;
}
#elif defined(CASE_ALU)
static unsigned run(void)
{
    unsigned x = 1;

    for (int i = 0; i < 60; i++)
        x = mix(x) + other(x);
    return x;
}
#else
static unsigned run(void)
{
    pthread_t t[THREADS];

    for (int k = 0; k < THREADS; k++)
        pthread_create(&t[k], NULL, work, (void *)(size_t)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(t[k], NULL);
    return part[0].sum;
}
#endif

int main(void)
{
    return printf("%u\n", run()) < 0;
}
