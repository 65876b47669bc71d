/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rand() and random(): newlib's sequence, with one state for all threads, as programs that seed it
 * in main() expect. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 1;

static uint64_t step(uint64_t s)
{
    return s * 6364136223846793005ULL + 1U;
}

static int value(uint64_t s)
{
    return (int)((s >> 32) & RAND_MAX);
}

static int next(void)
{
    uint64_t old = __atomic_load_n(&state, __ATOMIC_RELAXED);
    uint64_t new;

    do {
        new = step(old);
    } while (
        !__atomic_compare_exchange_n(&state, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return value(new);
}

void srand(unsigned seed)
{
    __atomic_store_n(&state, seed, __ATOMIC_RELAXED);
}

int rand(void)
{
    return next();
}

void srandom(unsigned seed)
{
    srand(seed);
}

long random(void)
{
    return next();
}

/* ---- states of the caller's ---------------------------------------------------------- */

int initstate_r(unsigned seed, char *memory, size_t size, struct random_data *r)
{
    (void)memory;
    (void)size;
    return srandom_r(seed, r);
}

int srandom_r(unsigned seed, struct random_data *r)
{
    r->__state = seed;
    return 0;
}

int random_r(struct random_data *r, int32_t *result)
{
    r->__state = step(r->__state);
    *result = value(r->__state);
    return 0;
}

int srand48_r(long seed, struct drand48_data *r)
{
    r->__x[0] = 0x330e;
    r->__x[1] = (unsigned short)seed;
    r->__x[2] = (unsigned short)((unsigned long)seed >> 16);
    return 0;
}

int erand48_r(unsigned short x[3], struct drand48_data *r, double *result)
{
    (void)r;
    *result = erand48(x);
    return 0;
}

int nrand48_r(unsigned short x[3], struct drand48_data *r, long *result)
{
    (void)r;
    *result = nrand48(x);
    return 0;
}

int jrand48_r(unsigned short x[3], struct drand48_data *r, long *result)
{
    (void)r;
    *result = jrand48(x);
    return 0;
}

int drand48_r(struct drand48_data *r, double *result)
{
    return erand48_r(r->__x, r, result);
}

int lrand48_r(struct drand48_data *r, long *result)
{
    return nrand48_r(r->__x, r, result);
}

int mrand48_r(struct drand48_data *r, long *result)
{
    return jrand48_r(r->__x, r, result);
}
