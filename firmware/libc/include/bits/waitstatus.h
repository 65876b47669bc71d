/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros for the exit status of a process. */
#ifndef MPJ_LIBC_BITS_WAITSTATUS_H
#define MPJ_LIBC_BITS_WAITSTATUS_H

#include <features.h>
#define WNOHANG             1
#define WUNTRACED           2
#define WTERMSIG(status)    ((status)&0x7f)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WSTOPSIG(status)    WEXITSTATUS(status)
#define WIFEXITED(status)   (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) (((signed char)(WTERMSIG(status) + 1) >> 1) > 0)
#define WIFSTOPPED(status)  (((status)&0xff) == 0x7f)
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
#define WSTOPPED             2
#define WEXITED              4
#define WCONTINUED           8
#define WNOWAIT              0x01000000
#define WIFCONTINUED(status) ((status) == 0xffff)
#endif

#endif
