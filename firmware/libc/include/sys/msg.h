/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V message queues. */
#ifndef MPJ_SYS_MSG_H
#define MPJ_SYS_MSG_H

#include <sys/ipc.h>
#include <time.h>

#define MSG_NOERROR 010000

typedef unsigned long msgqnum_t;
typedef unsigned long msglen_t;

struct msqid_ds {
    struct ipc_perm msg_perm;
    time_t msg_stime, msg_rtime, msg_ctime;
    msgqnum_t msg_qnum;
    msglen_t msg_qbytes;
    pid_t msg_lspid, msg_lrpid;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fail with ENOSYS. */
int msgget(key_t key, int flags);
int msgsnd(int id, const void *message, size_t size, int flags);
ssize_t msgrcv(int id, void *message, size_t size, long type, int flags);
int msgctl(int id, int command, struct msqid_ds *buf);

#ifdef __cplusplus
}
#endif

#endif
