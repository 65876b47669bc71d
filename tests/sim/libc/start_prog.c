/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before main() and after it: the same on Linux and on the target.
 *   start_prog return|exit|thread|_exit|abort|early
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int joined;
static int members;

static void *add(void *arg)
{
    (*(int *)arg)++;
    return arg;
}

static void at_exit_early(void)
{
    puts("at exit, registered by a constructor");
}

static void at_exit_late(void)
{
    puts("at exit, registered by main");
}

__attribute__((constructor)) static void said(int argc, char **argv, char **envp)
{
    fprintf(stderr, "lib: init\n");
    printf("constructor %d %s %d\n", argc, argv[argc - 1], envp == environ);
    if (strcmp(argv[argc - 1], "early") == 0)
        exit(5);
    atexit(at_exit_early);
}

__attribute__((constructor(201))) static void first(void)
{
    puts("constructor 201");
}

__attribute__((constructor(202))) static void threads(void)
{
    pthread_t t;

    pthread_create(&t, NULL, add, &joined);
    pthread_join(t, NULL);
#pragma omp parallel num_threads(3) reduction(+ : members)
    members++;
}

__attribute__((destructor)) static void leaves(void)
{
    puts("destructor");
}

__attribute__((destructor(201))) static void leaves_last(void)
{
    fprintf(stderr, "lib: gone\n");
    puts("destructor 201");
}

static void *leave(void *arg)
{
    (void)arg;
    exit(3);
}

int main(int argc, char **argv)
{
    const char *const how = argv[argc - 1];
    pthread_t t;

    printf("main: %d thread, %d of a team\n", joined, members);
    atexit(at_exit_late);
    fflush(stdout);
    if (strcmp(how, "exit") == 0)
        exit(4);
    if (strcmp(how, "_exit") == 0)
        _exit(6);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "thread") == 0) {
        pthread_create(&t, NULL, leave, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
