/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V semaphores. */
#ifndef MPJ_SYS_SEM_H
#define MPJ_SYS_SEM_H

#include <sys/ipc.h>
#include <time.h>

#define SEM_UNDO 0x1000
#define GETPID   11
#define GETVAL   12
#define GETALL   13
#define GETNCNT  14
#define GETZCNT  15
#define SETVAL   16
#define SETALL   17

struct sembuf {
    unsigned short sem_num;
    short sem_op, sem_flg;
};

struct semid_ds {
    struct ipc_perm sem_perm;
    time_t sem_otime, sem_ctime;
    unsigned long sem_nsems;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fail with ENOSYS. */
int semget(key_t key, int count, int flags);
int semop(int id, struct sembuf *operation, size_t count);
int semtimedop(int id, struct sembuf *operation, size_t count, const struct timespec *limit);
int semctl(int id, int number, int command, ...);

#ifdef __cplusplus
}
#endif

#endif
