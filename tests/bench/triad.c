/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream through memory on each thread: a[i] = b[i] + s * c[i], as in STREAM, over parts of three
 * arrays that together are several times as large as the L2. The work is the same whatever the
 * number of threads.
 *
 * usage: triad [THREADS [PASSES]]
 *
 * Prints MB that were asked for (24 bytes an element; what is read before it is written not
 * counted).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ELEMENTS (3U << 16) /* 1.5 MB an array */
#define THREADS  4U

static double a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
static unsigned threads = 4, passes = 4;

static void *part(void *arg)
{
    const unsigned n = *(unsigned *)arg;
    const unsigned first = ELEMENTS / threads * n;
    const unsigned end = n + 1 == threads ? ELEMENTS : first + ELEMENTS / threads;
    for (unsigned pass = 0; pass < passes; pass++) {
        for (unsigned i = first; i < end; i++)
            a[i] = b[i] + 3.0 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory"); /* somebody may look */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    unsigned number[THREADS];
    if (argc > 1)
        threads = (unsigned)atoi(argv[1]);
    if (argc > 2)
        passes = (unsigned)atoi(argv[2]);
    if (threads == 0 || threads > THREADS || passes == 0) {
        fprintf(stderr, "usage: triad [1..4 [PASSES]]\n");
        return 2;
    }
    for (unsigned i = 0; i < ELEMENTS; i++) {
        b[i] = i;
        c[i] = argc;
    }
    for (unsigned n = 0; n < threads; n++) {
        number[n] = n;
        if (pthread_create(&thread[n], NULL, part, &number[n]) != 0)
            return 1;
    }
    for (unsigned n = 0; n < threads; n++)
        pthread_join(thread[n], NULL);
    printf("%.1f MB\n", passes * (double)ELEMENTS * 24 / 1e6);
    return 0;
}
