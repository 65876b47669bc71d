/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rand() and random() with the sequences of the GNU C library, so that a program computes the same
 * as on Linux: an additive generator, x[i] = x[i - degree] + x[i - separation], whose state is
 * initialised by a linear one. One state for all threads, as programs that seed it in main()
 * expect.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "hal_cpu.h"

/* Generators by the size of the memory that initstate_r() is given; a degree of 0: a linear
 * generator. */
static const struct kind {
    uint16_t bytes;
    uint8_t degree, separation;
} kinds[] = {{8, 0, 0}, {32, 7, 3}, {64, 15, 1}, {128, 31, 3}, {256, 63, 1}};

#define USUAL   3 /* index in kinds */
#define MASK    0x7fffffffU
#define DISCARD 10U /* times the degree: numbers that are discarded at first */

static hal_spinlock lock;
static struct random_data usual; /* kind 0: not seeded yet */

static uint32_t step(struct random_data *r)
{
    const struct kind *k = &kinds[r->__kind - 1U];
    uint32_t front;

    if (k->degree == 0) {
        r->__word[0] = (r->__word[0] * 1103515245U + 12345U) & MASK;
        return r->__word[0];
    }
    front = r->__rear + k->separation;
    if (front >= k->degree)
        front -= k->degree;
    r->__word[front] += r->__word[r->__rear];
    if (++r->__rear == k->degree)
        r->__rear = 0;
    return r->__word[front] >> 1;
}

static void seed_it(struct random_data *r, unsigned kind, uint32_t seed)
{
    const struct kind *k = &kinds[kind];
    int32_t word = seed == 0 ? 1 : (int32_t)seed;

    r->__kind = (uint8_t)(kind + 1U);
    r->__rear = 0;
    r->__word[0] = (uint32_t)word;
    for (unsigned i = 1; i < k->degree; i++) {
        /* 16807 * word modulo 2^31 - 1, without a larger product */
        word = 16807 * (word % 127773) - 2836 * (word / 127773);
        if (word < 0)
            word += (int32_t)MASK;
        r->__word[i] = (uint32_t)word;
    }
    for (unsigned i = 0; i < DISCARD * k->degree; i++)
        (void)step(r);
}

void srandom(unsigned seed)
{
    const hal_irq_state s = hal_spin_lock_irq(&lock);

    seed_it(&usual, usual.__kind == 0 ? USUAL : usual.__kind - 1U, seed);
    hal_spin_unlock_irq(&lock, s);
}

long random(void)
{
    const hal_irq_state s = hal_spin_lock_irq(&lock);
    uint32_t x;

    if (usual.__kind == 0)
        seed_it(&usual, USUAL, 1);
    x = step(&usual);
    hal_spin_unlock_irq(&lock, s);
    return (long)x;
}

void srand(unsigned seed)
{
    srandom(seed);
}

int rand(void)
{
    return (int)random();
}

static uint32_t upper(unsigned *x, uint32_t mask)
{
    *x = *x * 1103515245U + 12345U;
    return *x >> 16 & mask;
}

int rand_r(unsigned *seed)
{
    uint32_t r = upper(seed, 0x7ff);

    r = r << 10 ^ upper(seed, 0x3ff);
    return (int)(r << 10 ^ upper(seed, 0x3ff));
}

/* ---- states of the caller -------------------------------------------------------- */

int initstate_r(unsigned seed, char *memory, size_t size, struct random_data *r)
{
    unsigned kind = sizeof(kinds) / sizeof(kinds[0]);

    (void)memory;
    while (kind > 0 && size < kinds[kind - 1U].bytes)
        kind--;
    if (kind == 0) {
        errno = EINVAL;
        return -1;
    }
    seed_it(r, kind - 1U, seed);
    return 0;
}

int srandom_r(unsigned seed, struct random_data *r)
{
    if (r->__kind == 0) {
        errno = EINVAL;
        return -1;
    }
    seed_it(r, r->__kind - 1U, seed);
    return 0;
}

int random_r(struct random_data *r, int32_t *result)
{
    if (r->__kind == 0) {
        errno = EINVAL;
        return -1;
    }
    *result = (int32_t)step(r);
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

/* ---- the default state, saved and exchanged -------------------------------------- */

#define STATES 8U

/* Saved states; a program's memory for a state holds the number of one of these. */
static struct random_data saved[STATES];
static struct random_data begun;
static char *memory_of[STATES];
static unsigned current = STATES; /* STATES: the initial state */

static char *exchange(unsigned to)
{
    static char first[8];
    char *const old = current < STATES ? memory_of[current] : first;

    if (current < STATES)
        saved[current] = usual;
    else
        begun = usual;
    usual = to < STATES ? saved[to] : begun;
    current = to;
    return old;
}

char *initstate(unsigned seed, char *memory, size_t size)
{
    struct random_data fresh;
    unsigned n = 0;

    if (initstate_r(seed, memory, size, &fresh) != 0)
        return NULL;
    while (n < STATES && memory_of[n] != NULL && memory_of[n] != memory)
        n++;
    if (n == STATES) {
        errno = ENOMEM;
        return NULL;
    }
    memory_of[n] = memory;
    saved[n] = fresh;
    if (n == current) {
        usual = fresh;
        return memory;
    }
    return exchange(n);
}

char *setstate(char *memory)
{
    unsigned n = 0;

    while (n < STATES && memory_of[n] != memory)
        n++;
    return exchange(n); /* unknown memory: the initial state */
}
