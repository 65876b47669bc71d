/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Message queues between threads: they belong to the program and are in memory. */
#ifndef MPJ_MQUEUE_H
#define MPJ_MQUEUE_H

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

typedef int mqd_t;

struct mq_attr {
    long mq_flags, mq_maxmsg, mq_msgsize, mq_curmsgs;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a queue and returns a descriptor, which poll() accepts, too. With O_CREAT: mode and struct
 * mq_attr *; at most 1024 messages of 1 MB, by default 10 of 8192 bytes. */
mqd_t mq_open(const char *name, int flags, ...);
int mq_close(mqd_t queue);
int mq_unlink(const char *name);
int mq_send(mqd_t queue, const char *message, size_t size, unsigned priority);
int mq_timedsend(mqd_t queue, const char *message, size_t size, unsigned priority,
                 const struct timespec *limit);
ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority);
ssize_t mq_timedreceive(mqd_t queue, char *__restrict message, size_t size,
                        unsigned *__restrict priority, const struct timespec *__restrict limit);
int mq_getattr(mqd_t queue, struct mq_attr *attr);
int mq_setattr(mqd_t queue, const struct mq_attr *__restrict attr, struct mq_attr *__restrict old);
/* Registers SIGEV_NONE, SIGEV_SIGNAL or SIGEV_THREAD; NULL removes the registration. */
int mq_notify(mqd_t queue, const struct sigevent *event);

#ifdef __cplusplus
}
#endif

#endif
