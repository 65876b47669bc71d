/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Works in two threads, sets a mark, and ends as its first argument says. Built by
 * tests/sim/given.py.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj.h>

#define NOWHERE 0xdead0000U

static volatile unsigned sink;

__attribute__((noinline)) void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink += i * 3;
}

static void *second(void *arg)
{
    work(*(const unsigned *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *const end = argc > 1 ? argv[1] : "";
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
    const char *const more = getenv("MORE");
    char line[100];
    pthread_t t;

    mpj_mark_value("begun", 7);
    pthread_create(&t, NULL, second, &n);
    work(more != NULL ? n * (unsigned)atoi(more) : n);
    pthread_join(t, NULL);
    while (fgets(line, sizeof(line), stdin) != NULL)
        work(n);
    puts("worked");
    fflush(stdout);
    if (strcmp(end, "crash") == 0)
        *(volatile int *)NOWHERE = 1;
    while (strcmp(end, "hang") == 0)
        work(1000);
    return 0;
}
