/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer's mutations, with each target's knowledge of its format: what they leave is mostly
 * repaired, and now and then a valid input takes the place of one. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRESH  32U /* one in so many is a valid input */
#define BROKEN 8U  /* one in so many is left as it is */
#define SEED   16384U

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t cap);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t cap, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t cap, unsigned seed);

static uint64_t state;

static uint32_t rng(void)
{
    /* splitmix64, as in driver.c */
    uint64_t z = state += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (uint32_t)(z >> 32);
}

/* "--seeds FOLDER NUMBER" writes so many valid inputs, the same ones each time, and no more. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static uint8_t data[SEED];
    const unsigned long number =
        *argc == 4 && strcmp((*argv)[1], "--seeds") == 0 ? strtoul((*argv)[3], NULL, 10) : 0;

    for (unsigned long i = 0; i < number; i++) {
        char path[600];
        size_t n;
        FILE *f;

        state = i;
        n = fuzz_seed(data, sizeof(data), rng);
        snprintf(path, sizeof(path), "%s/seed-%lu", (*argv)[2], i);
        f = n > 0 ? fopen(path, "wb") : NULL;
        if (n > 0 && (f == NULL || fwrite(data, 1, n, f) != n || fclose(f) != 0))
            abort();
    }
    if (number > 0)
        exit(0);
    return 0;
}

static size_t finish(uint8_t *data, size_t size, size_t cap)
{
    return rng() % BROKEN != 0 ? fuzz_fix(data, size, cap) : size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t cap, unsigned seed)
{
    size_t n = 0;

    state = seed;
    if (rng() % FRESH == 0)
        n = fuzz_seed(data, cap, rng);
    if (n == 0)
        n = LLVMFuzzerMutate(data, size, cap);
    return finish(data, n, cap);
}

/* The beginning of one and the end of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t cap, unsigned seed)
{
    size_t head;
    size_t tail;

    state = seed;
    head = rng() % (a_size + 1U);
    tail = rng() % (b_size + 1U);
    head = head < cap ? head : cap;
    tail = tail < cap - head ? tail : cap - head;
    memcpy(out, a, head);
    memcpy(out + head, b + (b_size - tail), tail);
    return finish(out, head + tail, cap);
}
