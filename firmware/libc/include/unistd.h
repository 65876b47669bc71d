/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and what GNU/Linux has beside it. */
#ifndef MPJ_UNISTD_H
#define MPJ_UNISTD_H

#include_next <unistd.h>

/* ENOSYS */
int getlogin_r(char *name, size_t size);

#if __GNU_VISIBLE || __MISC_VISIBLE
/* The calling thread's number in the profile; main's is 1, that of the process. */
pid_t gettid(void);
/* SYS_gettid and SYS_getcpu of <sys/syscall.h>; others fail with ENOSYS. */
long syscall(long number, ...);
int nice(int by);
int getdtablesize(void);
#endif

#endif
