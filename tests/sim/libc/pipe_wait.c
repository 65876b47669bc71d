/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A producer that is faster than its consumer; or (stuck) two threads that wait for each other. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static int fd[2], back[2];
static volatile unsigned work;

static void *consume(void *arg)
{
    static char data[4096];

    (void)arg;
    while (read(fd[0], data, sizeof(data)) > 0) {
        for (unsigned i = 0; i < 20000U; i++)
            work++;
    }
    (void)write(back[1], "x", 1);
    return NULL;
}

static void *watch(void *arg)
{
    struct pollfd p = {.fd = back[0], .events = POLLIN};

    (void)poll(&p, 1, -1);
    return arg;
}

int main(int argc, char **argv)
{
    static char data[300000];
    const int stuck = argc > 1 && strcmp(argv[1], "stuck") == 0;
    pthread_t t;

    if (pipe(fd) != 0 || pipe(back) != 0)
        return 1;
    (void)pthread_create(&t, NULL, stuck ? watch : consume, NULL);
    if (stuck)
        return (int)read(fd[0], data, 1);
    (void)write(fd[1], data, sizeof(data));
    (void)close(fd[1]);
    (void)watch(NULL);
    return pthread_join(t, NULL);
}
