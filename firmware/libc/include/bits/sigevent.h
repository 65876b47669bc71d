/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_SIGEVENT_H
#define MPJ_LIBC_BITS_SIGEVENT_H

#include <bits/pthreadtypes.h>
#include <features.h>

union sigval {
    int sival_int;
    void *sival_ptr;
};

/* 64 bytes, as in the kernel. */
typedef struct sigevent {
    union sigval sigev_value;
    int sigev_signo;
    int sigev_notify;
    union {
        int __pad[13];
        int __tid;
        struct {
            void (*__fn)(union sigval);
            pthread_attr_t *__attr;
        } __call;
    } __un;
} sigevent_t;

#define sigev_notify_function   __un.__call.__fn
#define sigev_notify_attributes __un.__call.__attr

#define SIGEV_SIGNAL            0
#define SIGEV_NONE              1
#define SIGEV_THREAD            2
#define SIGEV_THREAD_ID         4

#endif
