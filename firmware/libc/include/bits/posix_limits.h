/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX's part of <limits.h>. */
#ifndef MPJ_LIBC_BITS_POSIX_LIMITS_H
#define MPJ_LIBC_BITS_POSIX_LIMITS_H

#include <features.h>
#ifdef __USE_POSIX
#define NAME_MAX                      255
#define PATH_MAX                      481 /* includes the terminating zero: MPJ_IO_PATH_MAX */
#define SSIZE_MAX                     0x7fffffff
#define PIPE_BUF                      4096
#define NGROUPS_MAX                   65536
#define MAX_CANON                     255
#define MAX_INPUT                     255
#define RTSIG_MAX                     32
#define DELAYTIMER_MAX                0x7fffffff
#define TTY_NAME_MAX                  32
#define LOGIN_NAME_MAX                256
#define HOST_NAME_MAX                 64
#define MQ_PRIO_MAX                   32768
#define SEM_VALUE_MAX                 0x7fffffff
#define PTHREAD_STACK_MIN             16384
#define PTHREAD_KEYS_MAX              128
#define PTHREAD_DESTRUCTOR_ITERATIONS 4

#if defined(__USE_POSIX)
#define _POSIX_AIO_MAX                      1
#define _POSIX_AIO_LISTIO_MAX               2
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#define _POSIX_TZNAME_MAX                   6
#define _POSIX_SYMLOOP_MAX                  8
#define _POSIX_MQ_OPEN_MAX                  8
#define _POSIX_LINK_MAX                     8
#define _POSIX_NGROUPS_MAX                  8
#define _POSIX_STREAM_MAX                   8
#define _POSIX_RTSIG_MAX                    8
#define _POSIX_TTY_NAME_MAX                 9
#define _POSIX_LOGIN_NAME_MAX               9
#define _POSIX_NAME_MAX                     14
#define _POSIX_OPEN_MAX                     20
#define _POSIX_CHILD_MAX                    25
#define _POSIX_DELAYTIMER_MAX               32
#define _POSIX_SIGQUEUE_MAX                 32
#define _POSIX_MQ_PRIO_MAX                  32
#define _POSIX_THREAD_THREADS_MAX           64
#define _POSIX_THREAD_KEYS_MAX              128
#define _POSIX_SYMLINK_MAX                  255
#define _POSIX_HOST_NAME_MAX                255
#define _POSIX_RE_DUP_MAX                   255
#define _POSIX_MAX_INPUT                    255
#define _POSIX_MAX_CANON                    255
#define _POSIX_SEM_NSEMS_MAX                256
#define _POSIX_PATH_MAX                     256
#define _POSIX_PIPE_BUF                     512
#define _POSIX_ARG_MAX                      4096
#define _POSIX_SSIZE_MAX                    32767
#define _POSIX_SEM_VALUE_MAX                32767
#define _POSIX_CLOCKRES_MIN                 20000000
#endif
#define _POSIX_TIMER_MAX 32
#endif

#endif
