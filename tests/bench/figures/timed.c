/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Around the main() of a workload, which is compiled as program_main: prints how long it took. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

int program_main(int argc, char **argv);

static struct timespec begin;

static void print_time(void)
{
    struct timespec end;
    struct rusage used = {0};

    clock_gettime(CLOCK_MONOTONIC, &end);
    getrusage(RUSAGE_SELF, &used);
    printf("time %.0f us, %ld faults\n",
           (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) / 1e3,
           (long)used.ru_minflt);
}

int main(int argc, char **argv)
{
    atexit(print_time); /* also when the program ends by exit() */
    clock_gettime(CLOCK_MONOTONIC, &begin);
    return program_main(argc, argv);
}
