/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap grows in some threads while others make threads, all of which stay: memory for threads
 * must not come out of the middle of what malloc() takes. malloc() of this C library extends the
 * heap in two steps after somebody else has called sbrk(), and relies on getting both parts side by
 * side.
 * usage: pt_heap [-s SEED]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROWERS  2
#define CREATORS 2
#define CREATED  200 /* by each */
#define PIECES   1000
#define PAGE     4096 /* by which the heap grows */

static volatile int creating = CREATORS, go;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static unsigned seed, wrong;

static void spoilt(void)
{
    __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

/* At any time in what the creators do. */
static void pause_of(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    for (volatile unsigned i = *state >> 21; i > 0; i--)
        ;
}

static void *grow(void *arg)
{
    static unsigned char *piece[GROWERS][PIECES];
    unsigned char mark = (unsigned char)(uintptr_t)arg;
    unsigned char **mine = piece[mark];
    uint32_t state = seed + mark;

    for (int i = 0; i < PIECES && creating != 0; i++) {
        mine[i] = malloc(PAGE);
        if (mine[i] == NULL)
            abort();
        memset(mine[i], mark, PAGE);
        pause_of(&state);
    }
    for (int i = 0; i < PIECES && mine[i] != NULL; i++) {
        for (int k = 0; k < PAGE; k++) {
            if (mine[i][k] != mark) {
                spoilt();
                break;
            }
        }
    }
    return NULL;
}

static void *stay(void *arg)
{
    int *mine = arg;

    pthread_mutex_lock(&lock);
    while (!go)
        pthread_cond_wait(&end, &lock);
    pthread_mutex_unlock(&lock);
    ++*mine;
    return arg;
}

static void *create(void *arg)
{
    static pthread_t created[CREATORS][CREATED];
    static int count[CREATORS][CREATED];
    pthread_t *thread = created[(uintptr_t)arg];
    int *mine = count[(uintptr_t)arg];
    pthread_attr_t small;
    void *value;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int i = 0; i < CREATED; i++) {
        if (pthread_create(&thread[i], &small, stay, &mine[i]) != 0)
            abort();
    }
    pthread_mutex_lock(&lock);
    creating--;
    while (!go)
        pthread_cond_wait(&end, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CREATED; i++) {
        if (pthread_join(thread[i], &value) != 0 || value != &mine[i] || mine[i] != 1)
            spoilt();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t grower[GROWERS], creator[CREATORS];

    if (argc == 3 && strcmp(argv[1], "-s") == 0)
        seed = (unsigned)atoi(argv[2]) * 7919U;
    for (uintptr_t i = 0; i < GROWERS; i++)
        pthread_create(&grower[i], NULL, grow, (void *)i);
    for (uintptr_t i = 0; i < CREATORS; i++)
        pthread_create(&creator[i], NULL, create, (void *)i);
    for (int i = 0; i < GROWERS; i++)
        pthread_join(grower[i], NULL);
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_cond_broadcast(&end);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CREATORS; i++)
        pthread_join(creator[i], NULL);
    if (wrong != 0)
        printf("%u spoilt\n", wrong);
    printf("pt_heap: %s\n", wrong == 0 ? "ok" : "FAILED");
    return wrong != 0;
}
