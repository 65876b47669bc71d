/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A producer that waits for a slower consumer: D = 2 places, semaphores "free"
 * and "full", N items; producing one takes P = U of work, consuming one C = 3 U;
 * the place is free again when the item is consumed.
 * Threads: 1 main (joins), 2 producer, 3 consumer.
 * Expected in the profile, in time of -u units of work (U):
 *   consumer: waits once on "full", for P = 1 (the first item); run 3 N
 *   producer: waits N - D times on "free", each C - P = 2 (the first of them
 *     P + C - D P = 2 too): total 2 (N - D); run N
 *   elapsed P + N C = 1 + 3 N; the waits end by the consumer's hand
 * Defaults: N = 40: producer's wait 76, elapsed 121.
 */
#include "wl_common.h"
#include <pthread.h>
#include <semaphore.h>

#define PLACES 2

static long items = 40, unit = 30;
static sem_t free_places, full_places;
static long place[PLACES], consumed_sum;
static uint32_t sink[2];

static void *producer(void *arg)
{
    for (long i = 0; i < items; i++) {
        WL_MUST(sem_wait(&free_places));
        sink[0] += wl_work((unsigned long)unit);
        place[i % PLACES] = i + 1;
        WL_MUST(sem_post(&full_places));
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (long i = 0; i < items; i++) {
        WL_MUST(sem_wait(&full_places));
        consumed_sum += place[i % PLACES];
        sink[1] += wl_work((unsigned long)unit * 3);
        WL_MUST(sem_post(&free_places));
    }
    return arg;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &items, 1, 100000, "items"},
        {'u', &unit, 1, 100000, "units of work to produce one"},
        {0},
    };
    wl_options(argc, argv, opts);
    pthread_t tid[2];
    WL_MUST(sem_init(&free_places, 0, PLACES));
    WL_MUST(sem_init(&full_places, 0, 0));
    WL_MUST(pthread_create(&tid[0], NULL, producer, NULL));
    WL_MUST(pthread_create(&tid[1], NULL, consumer, NULL));
    WL_MUST(pthread_join(tid[0], NULL));
    WL_MUST(pthread_join(tid[1], NULL));
    WL_MUST(sem_destroy(&free_places));
    WL_MUST(sem_destroy(&full_places));
    bool ok = consumed_sum == items * (items + 1) / 2 &&
              sink[0] == (uint32_t)items * wl_work((unsigned long)unit);
    return wl_result("mu_semwait", ok, "items=%ld unit=%ld sum=%ld", items, unit, consumed_sum);
}
