/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compiler's and newlib's, and what POSIX has beside them. */
#ifndef MPJ_LIMITS_H
#define MPJ_LIMITS_H

#include <gnu/stubs.h>
#include_next <limits.h>
#include <sys/features.h>

#if __POSIX_VISIBLE || __GNU_VISIBLE

#ifndef NAME_MAX
#define NAME_MAX 255
#endif
#undef PATH_MAX
#define PATH_MAX 481 /* with its zero: MPJ_IO_PATH_MAX */
#ifndef SSIZE_MAX
#define SSIZE_MAX INT_MAX
#endif
#ifndef IOV_MAX
#define IOV_MAX 1024
#endif
#ifndef PIPE_BUF
#define PIPE_BUF 4096
#endif
#ifndef LINE_MAX
#define LINE_MAX 2048
#endif
#ifndef NGROUPS_MAX
#define NGROUPS_MAX 16
#endif
#ifndef RE_DUP_MAX
#define RE_DUP_MAX 255
#endif
#ifndef LONG_BIT
#define LONG_BIT 32
#endif
#ifndef WORD_BIT
#define WORD_BIT 32
#endif
#define HOST_NAME_MAX  64
#define LOGIN_NAME_MAX 256
#define TTY_NAME_MAX   32
#define SYMLOOP_MAX    40
#define SYMLINK_MAX    255
#define RTSIG_MAX      32
#define SIGQUEUE_MAX   256
#define TIMER_MAX      256
#define DELAYTIMER_MAX INT_MAX
#define SEM_VALUE_MAX  0x7fffffff
#define SEM_NSEMS_MAX  256
#define STREAM_MAX     64
#ifndef NZERO
#define NZERO 20
#endif

#ifndef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN 16384
#endif
#ifndef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#endif
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif
#ifndef PTHREAD_THREADS_MAX
#define PTHREAD_THREADS_MAX 2047
#endif

/* What every system has at least. */
#define _POSIX_ARG_MAX                      4096
#define _POSIX_CHILD_MAX                    25
#define _POSIX_DELAYTIMER_MAX               32
#define _POSIX_HOST_NAME_MAX                255
#define _POSIX_LINK_MAX                     8
#define _POSIX_LOGIN_NAME_MAX               9
#define _POSIX_MAX_CANON                    255
#define _POSIX_MAX_INPUT                    255
#define _POSIX_NAME_MAX                     14
#define _POSIX_NGROUPS_MAX                  8
#define _POSIX_OPEN_MAX                     20
#define _POSIX_PATH_MAX                     256
#define _POSIX_PIPE_BUF                     512
#define _POSIX_RE_DUP_MAX                   255
#define _POSIX2_RE_DUP_MAX                  255
#define _POSIX_RTSIG_MAX                    8
#define _POSIX_SEM_NSEMS_MAX                256
#define _POSIX_SEM_VALUE_MAX                32767
#define _POSIX_SIGQUEUE_MAX                 32
#define _POSIX_SSIZE_MAX                    32767
#define _POSIX_STREAM_MAX                   8
#define _POSIX_SYMLINK_MAX                  255
#define _POSIX_SYMLOOP_MAX                  8
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#define _POSIX_THREAD_KEYS_MAX              128
#define _POSIX_THREAD_THREADS_MAX           64
#define _POSIX_TIMER_MAX                    32
#define _POSIX_TTY_NAME_MAX                 9
#define _POSIX_TZNAME_MAX                   6
#define _XOPEN_IOV_MAX                      16
#define _XOPEN_NAME_MAX                     255
#define _XOPEN_PATH_MAX                     1024

#endif
#endif
