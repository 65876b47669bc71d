/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that share the C library: heap, streams, environment, errno and strtok. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 12
#define ROUNDS  60
#define BLOCKS  24

static unsigned seed = 1;

static unsigned next(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static void *heap(void *arg)
{
    unsigned state = seed + (unsigned)(uintptr_t)arg;
    unsigned char *block[BLOCKS] = {0};
    size_t size[BLOCKS] = {0};
    const unsigned char mark = (unsigned char)(uintptr_t)arg;

    for (unsigned r = 0; r < ROUNDS * 8; r++) {
        unsigned i = next(&state) % BLOCKS;

        for (size_t n = 0; n < size[i]; n++) {
            if (block[i][n] != mark)
                return (void *)1;
        }
        if (next(&state) % 3 == 0) {
            free(block[i]);
            block[i] = NULL;
            size[i] = 0;
            continue;
        }
        size[i] = 1 + next(&state) % 700;
        block[i] = realloc(block[i], size[i]);
        if (block[i] == NULL)
            return (void *)2;
        memset(block[i], mark, size[i]);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        free(block[i]);
    return NULL;
}

/* Lines stay whole, errno and strtok are each thread's own, the environment takes every name. */
static void *library(void *arg)
{
    const int me = (int)(uintptr_t)arg;
    char text[64], name[16];

    for (int r = 0; r < ROUNDS; r++) {
        char *save, *word;

        printf("line %d %d of thread %d, %.3f\n", r, me * 1000 + r, me, me + r / 1000.0);
        errno = me;
        snprintf(text, sizeof(text), "a%d b%d c%d", me, r, me + r);
        word = strtok(text, " ");
        save = strtok(NULL, " ");
        if (word == NULL || save == NULL || atoi(word + 1) != me || atoi(save + 1) != r)
            return (void *)3;
        snprintf(name, sizeof(name), "V%d_%d", me, r);
        if (setenv(name, text, 1) != 0 || getenv(name) == NULL)
            return (void *)4;
        if (errno != me)
            return (void *)5;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    uintptr_t bad = 0;

    if (argc > 2)
        seed = (unsigned)atoi(argv[2]);
    for (unsigned i = 0; i < THREADS; i++) {
        if (pthread_create(&thread[i], NULL, i % 2 ? heap : library, (void *)(uintptr_t)(i + 1)) !=
            0)
            return 2;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *result;

        pthread_join(thread[i], &result);
        bad |= (uintptr_t)result;
    }
    for (int me = 1; me <= THREADS; me += 2) {
        for (int r = 0; r < ROUNDS; r++) {
            char name[16];

            snprintf(name, sizeof(name), "V%d_%d", me, r);
            if (getenv(name) == NULL)
                bad |= 8;
        }
    }
    printf("pt_libc: %s %d\n", bad == 0 ? "ok" : "wrong", (int)bad);
    return bad != 0;
}
