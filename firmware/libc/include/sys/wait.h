/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Child processes: there are none, so that all of these fail with ENOSYS. */
#ifndef MPJ_LIBC_SYS_WAIT_H
#define MPJ_LIBC_SYS_WAIT_H

#include <bits/waitstatus.h>
#include <features.h>
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
#include <signal.h>
typedef unsigned int id_t;
typedef enum { P_ALL, P_PID, P_PGID, P_PIDFD } idtype_t;
#else
typedef int pid_t;
#endif
#ifdef __USE_MISC
#define WCOREFLAG            0x80
#define WCOREDUMP(status)    ((status)&WCOREFLAG)
#define W_EXITCODE(ret, sig) ((ret) << 8 | (sig))
#define W_STOPCODE(sig)      ((sig) << 8 | 0x7f)
#define WAIT_ANY             (-1)
#define WAIT_MYPGRP          0
#endif

__MPJ_BEGIN

int wait(int *);
int waitpid(int, int *, int);
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
int waitid(idtype_t, id_t, siginfo_t *, int);
#endif

__MPJ_END

#endif
