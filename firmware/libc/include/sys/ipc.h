/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V IPC, which does not exist here: there is one process. */
#ifndef MPJ_SYS_IPC_H
#define MPJ_SYS_IPC_H

#include <sys/types.h>

typedef int key_t;
#define IPC_CREAT   01000
#define IPC_EXCL    02000
#define IPC_NOWAIT  04000
#define IPC_PRIVATE ((key_t)0)
#define IPC_RMID    0
#define IPC_SET     1
#define IPC_STAT    2

struct ipc_perm {
    key_t __key;
    uid_t uid;
    gid_t gid;
    uid_t cuid;
    gid_t cgid;
    mode_t mode;
    unsigned short __seq;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with ENOSYS. */
key_t ftok(const char *path, int project);

#ifdef __cplusplus
}
#endif

#endif
