/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program sees of the board: its cores and memory, and the time over turns of the counter.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *arg)
{
    volatile unsigned *const n = arg;

    for (unsigned i = 0; i < 100000; i++)
        *n += i & 1U;
    return NULL;
}

int main(int argc, char **argv)
{
    const unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 40U;
    const double begin = now();
    const size_t some = 8U << 20;
    char *const block = malloc(some);
    unsigned counts[4] = {0};
    pthread_t threads[4];
    double end;

    if (block == NULL)
        return 2;
    memset(block, 0x5a, some);
    for (unsigned i = 0; i < 4; i++) {
        if (pthread_create(&threads[i], NULL, work, &counts[i]) != 0)
            return 3;
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    sleep(seconds);
    end = now();
    printf("%ld cores, %ld pages, %u\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_PHYS_PAGES),
           counts[3]);
    printf("%s\n",
           end - begin >= seconds && end - begin < seconds + 1U ? "time is right" : "WRONG");
    printf("%.3f s\n", end - begin);
    return block[some - 1] != 0x5a;
}
