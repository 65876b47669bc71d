/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX semaphores. A failure is -1 with errno. `shared` has no effect: there is one process.
 * sem_trywait() and sem_post() never wait; the waits are cancellation points. Only this program
 * knows the names of sem_open(); with O_CREAT, mode and value follow.
 */
#ifndef MPJ_LIBC_SEMAPHORE_H
#define MPJ_LIBC_SEMAPHORE_H

#include <features.h>
#include <sys/types.h>
#ifdef __USE_XOPEN2K
#include <bits/timespec.h>
#endif

#define SEM_FAILED ((sem_t *)0)

typedef struct {
    unsigned int __value;
    unsigned int __reserved;
} sem_t;

__MPJ_BEGIN

int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_close(sem_t *);
int sem_unlink(const char *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *__restrict, int *__restrict);
#if defined(__USE_XOPEN2K)
int sem_timedwait(sem_t *__restrict, const struct timespec *__restrict);
#endif
#if defined(__USE_GNU)
int sem_clockwait(sem_t *__restrict, clockid_t clock, const struct timespec *__restrict);
#endif

__MPJ_END

#endif
