/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX semaphores. */
#ifndef MPJ_SEMAPHORE_H
#define MPJ_SEMAPHORE_H

#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEM_VALUE_MAX 0x7fffffff
#define SEM_FAILED    ((sem_t *)0)

typedef struct {
    unsigned int __value;
    unsigned int __reserved;
} sem_t;

/* As POSIX has them; a failure is -1 with errno. shared is of no consequence: there is one process.
 * sem_trywait() and sem_post() never wait; the waits are points of cancellation. */
int sem_init(sem_t *sem, int shared, unsigned int value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *sem, const struct timespec *abstime);
int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *abstime);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *sem, int *value);

/* By names that only this program knows; O_CREAT is followed by mode and value. */
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *sem);
int sem_unlink(const char *name);

#ifdef __cplusplus
}
#endif
#endif
