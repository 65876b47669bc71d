/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "../wl_common.h"
#include "trees.h"

#define MOST_THREADS 64

struct shared {
    void (*fn)(void *arg, unsigned i);
    void *arg;
    unsigned n, next;
};

static void *worker(void *arg)
{
    struct shared *s = arg;
    unsigned i;

    while ((i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->n)
        s->fn(s->arg, i);
    return NULL;
}

void share(unsigned threads, unsigned n, void (*fn)(void *arg, unsigned i), void *arg)
{
    struct shared s = {fn, arg, n, 0};
    pthread_t tid[MOST_THREADS];

    for (unsigned i = 1; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, &s));
    worker(&s);
    for (unsigned i = 1; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
}
