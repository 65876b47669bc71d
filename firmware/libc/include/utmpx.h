/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of logged-in users, of which there are none. */
#ifndef MPJ_UTMPX_H
#define MPJ_UTMPX_H

#include <sys/time.h>
#include <sys/types.h>

#define EMPTY         0
#define RUN_LVL       1
#define BOOT_TIME     2
#define NEW_TIME      3
#define OLD_TIME      4
#define INIT_PROCESS  5
#define LOGIN_PROCESS 6
#define USER_PROCESS  7
#define DEAD_PROCESS  8

struct utmpx {
    short ut_type;
    pid_t ut_pid;
    char ut_line[32], ut_id[4], ut_user[32], ut_host[256];
    struct timeval ut_tv;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Return NULL with ENOSYS; functions without a result do nothing. */
struct utmpx *getutxent(void);
struct utmpx *getutxid(const struct utmpx *entry);
struct utmpx *getutxline(const struct utmpx *entry);
struct utmpx *pututxline(const struct utmpx *entry);
void setutxent(void);
void endutxent(void);

#ifdef __cplusplus
}
#endif

#endif
