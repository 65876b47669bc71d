/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Overflows a stack:   pt_overflow main|thread|interrupt|jump
 * main, thread: step by step, of main or of a thread. interrupt: the thread itself just fits.
 * jump: an array as large as four stacks, of which the far end is used, which is where another
 * thread's stack or the heap is; only -fstack-clash-protection notices. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile uint32_t sum;

static uint32_t __attribute__((noinline)) descend(uint32_t n)
{
    volatile uint32_t frame[64];

    for (unsigned i = 0; i < 64; i++)
        frame[i] = n;
    if (n > 0)
        sum += descend(n - 1U);
    return frame[n % 64U];
}

static void *overflow(void *arg)
{
    descend(*(uint32_t *)arg);
    return NULL;
}

static void *jump(void *arg)
{
    volatile char far[*(uint32_t *)arg];

    far[0] = 1;
    sum += (uint32_t)far[0];
    return NULL;
}

/* Goes to the very end of its stack and counts there until it is interrupted: what the interrupt
 * pushes has no room. */
static void *hover(void *arg)
{
    pthread_attr_t attr;
    size_t bytes;
    void *low;

    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &low, &bytes);
    __asm__ volatile("mov r4, sp\n\tadd sp, %0, #32\n"
                     "1:\tadds r5, r5, #1\n\tbne 1b\n\tmov sp, r4"
                     :
                     : "r"(low)
                     : "r4", "r5", "cc", "memory");
    return arg;
}

int main(int argc, char **argv)
{
    uint32_t deep = 1000000, fine = 3000, large = 4U << 20;
    pthread_attr_t attr;
    pthread_t t;

    pthread_attr_init(&attr);
    if (argc > 1 && strcmp(argv[1], "main") == 0) {
        overflow(&deep);
    } else if (argc > 1 && strcmp(argv[1], "thread") == 0) {
        pthread_create(&t, &attr, overflow, &fine); /* 0.8 of 1 MB: fits */
        pthread_join(t, NULL);
        printf("pt_overflow: the first was fine\n");
        fflush(stdout);
        pthread_create(&t, &attr, overflow, &deep);
        pthread_join(t, NULL);
    } else if (argc > 1 && strcmp(argv[1], "jump") == 0) {
        pthread_create(&t, &attr, jump, &large);
        pthread_join(t, NULL);
    } else {
        for (int i = 0; i < 5; i++) /* more than there are cores: they are interrupted */
            pthread_create(&t, &attr, hover, NULL);
        pthread_join(t, NULL);
    }
    printf("pt_overflow: no fault\n");
    return 0;
}
