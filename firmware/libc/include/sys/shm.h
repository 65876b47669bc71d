/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V shared memory. */
#ifndef MPJ_SYS_SHM_H
#define MPJ_SYS_SHM_H

#include <sys/ipc.h>
#include <time.h>

#define SHM_RDONLY  010000
#define SHM_RND     020000
#define SHM_REMAP   040000
#define SHM_EXEC    0100000
#define SHM_HUGETLB 04000
#define SHMLBA      4096

typedef unsigned long shmatt_t;

struct shmid_ds {
    struct ipc_perm shm_perm;
    size_t shm_segsz;
    time_t shm_atime, shm_dtime, shm_ctime;
    pid_t shm_cpid, shm_lpid;
    shmatt_t shm_nattch;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fail with ENOSYS; shmat() returns (void *)-1. */
int shmget(key_t key, size_t size, int flags);
void *shmat(int id, const void *address, int flags);
int shmdt(const void *address);
int shmctl(int id, int command, struct shmid_ds *buf);

#ifdef __cplusplus
}
#endif

#endif
