/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For programs that say the same on Linux and on the target: await_wait() returns when another
 * thread waits. On Linux a time would be a race: a busy machine may run that thread at any later
 * one. With _GNU_SOURCE.
 */
#ifndef AWAIT_H
#define AWAIT_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Returns when the thread with the number that its gettid() stores at @thread (before that: 0)
 * waits, or has ended. From the store on it must wait in no other call than the one meant. */
static inline void await_wait(volatile const pid_t *thread)
{
#ifndef __MPJOULE__
    const struct timespec tick = {.tv_nsec = 100000};
    char state = 'R';

    while (state != 'S') {
        char path[64];
        char text[256];
        const char *end;
        ssize_t n;
        int file;

        (void)nanosleep(&tick, NULL);
        if (*thread == 0)
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)*thread);
        file = open(path, O_RDONLY); /* no stream: its memory would be the program's */
        if (file < 0)
            return; /* it has ended, and what follows says so */
        n = read(file, text, sizeof(text) - 1);
        (void)close(file);
        text[n > 0 ? n : 0] = '\0';
        end = strrchr(text, ')');
        state = end != NULL ? end[2] : 'R';
    }
#else
    const struct timespec time = {.tv_nsec = 20000000};

    (void)thread; /* modelled time: the host's load does not matter */
    (void)nanosleep(&time, NULL);
#endif
}

#endif
