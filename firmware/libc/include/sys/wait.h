/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and waitid(): there is one process, so both fail with ENOSYS. */
#ifndef MPJ_SYS_WAIT_H
#define MPJ_SYS_WAIT_H

#include <signal.h>
#include_next <sys/wait.h>

#define WEXITED    4
#define WSTOPPED   2
#define WCONTINUED 8
#define WNOWAIT    0x01000000

typedef enum { P_ALL, P_PID, P_PGID } idtype_t;

#ifdef __cplusplus
extern "C" {
#endif

#if __POSIX_VISIBLE >= 199309
int waitid(idtype_t type, id_t id, siginfo_t *info, int options);
#endif

#ifdef __cplusplus
}
#endif

#endif
