/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads on one core that give it to each other, more often than notes are kept
 * (tests/sim/moments.py). */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static void *yields(void *arg)
{
    for (unsigned i = 0; i < 20000; i++)
        (void)sched_yield();
    return arg;
}

int main(void)
{
    pthread_t t;

    if (pthread_create(&t, NULL, yields, NULL) != 0)
        return 1;
    (void)yields(NULL);
    return pthread_join(t, NULL);
}
