/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What descriptors stand for beside files of the host: pipes, sockets, counters, in memory, by
 * which threads wait for each other. A descriptor's `host` (files.h) holds the address of such an
 * object. Programs that make none are not linked with objects.c; files.c and poll.c know it weakly.
 */
#ifndef MPJ_OBJECTS_H
#define MPJ_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpj_sched.h"

/* Device numbers (files.h) from here on: the address of an object is added, which is in RAM. */
#define MPJ_OBJECT 0x60000000

enum mpj_way { MPJ_IN, MPJ_OUT }; /* also the index of a pipe's two ends */

struct mpj_object;

/* A kind of object. Functions but `gone` are called with the scheduler's lock held: they are short,
 * and neither wait nor allocate. */
struct mpj_object_ops {
    mode_t mode;             /* as fstat() shows it */
    enum mpj_wait_kind wait; /* what its threads wait for, in the profile */
    bool stream;             /* of bytes: a transfer goes on until all are done, or it would wait */
    /* Bytes moved, at most a few thousand at once; -EAGAIN: the thread waits, or another negative
     * errno. flags: MSG_PEEK and the like. NULL: EINVAL. */
    int (*move[2])(struct mpj_object *o, void *data, size_t len, int flags);
    /* POLLIN and the like that are true now. */
    short (*ready)(struct mpj_object *o);
    /* When it becomes ready by itself, in ticks. NULL: never. */
    uint64_t (*due)(const struct mpj_object *o);
    /* Bytes that can be read. NULL: ENOTTY. */
    size_t (*available)(const struct mpj_object *o);
    /* The last descriptor and the last thread have let it go: gives its memory back. Lock not held.
     */
    void (*gone)(struct mpj_object *o);
};

/* A thread that waits for one of several objects. */
struct mpj_watch {
    struct mpj_watch *next;
    struct mpj_object *object; /* NULL: none, which is nowhere */
    struct mpj_thread *thread;
};

struct mpj_object {
    const struct mpj_object_ops *ops;
    struct mpj_watch *watches;
    unsigned users;             /* open descriptions, and threads in the midst of a call */
    volatile uint32_t stdio[2]; /* a thread waits in a stream of it, without the streams' lock */
};

static inline struct mpj_object *mpj_object_of(int host)
{
    return host >= MPJ_OBJECT ? (struct mpj_object *)(uintptr_t)(host - MPJ_OBJECT) : NULL;
}

/* A descriptor for a new object, which *o describes. -1 with errno when there is none left: the
 * object is not gone. flags: access, O_NONBLOCK, O_CLOEXEC. */
int mpj_object_open(struct mpj_object *o, const struct mpj_object_ops *ops, int flags);

/* The object of a descriptor stays until mpj_object_drop(), also when the descriptor is closed.
 * NULL: none, with EBADF if it is not open, else EINVAL. flags: NULL, or F_GETFL's. */
__attribute__((weak)) struct mpj_object *mpj_object_hold(int fd, int *flags);
__attribute__((weak)) void mpj_object_drop(struct mpj_object *o);

/* read(), write() and their kin of such a descriptor: bytes, or -1 with errno. cancel: a
 * cancellation point. caller: in the program. */
__attribute__((weak)) int mpj_object_move(int fd, enum mpj_way way, void *data, size_t len,
                                          int flags, bool cancel, const void *caller);

/* The same of an object that the caller holds, until a deadline (ticks): -ETIMEDOUT then; returns
 * the error instead of setting errno. waits: it may. */
int mpj_object_transfer(struct mpj_object *o, enum mpj_way way, void *data, size_t len, int flags,
                        bool waits, uint64_t deadline, const void *caller);

/* Sets of epoll_create() forget an object whose last descriptor was closed. */
__attribute__((weak)) void mpj_epoll_forget(const struct mpj_object *o);

/* A change may have made the object ready that way: wakes one of the threads in a call, and those
 * that watch it. Lock held. */
void mpj_object_changed_locked(struct mpj_object *o, enum mpj_way way);
/* The same, and all threads in calls: nothing will come now, or at another time. */
void mpj_object_ended_locked(struct mpj_object *o);

/* A thread is in a call that waits for it. Lock held. */
bool mpj_object_waited(const struct mpj_object *o, enum mpj_way way);

struct pollfd;
/* poll() until `deadline` (ticks, MPJ_NEVER; 0: does not wait), or until the calling thread has
 * run more handlers than `handled`. Number that are ready, or -1 with errno. */
int mpj_poll(struct pollfd *file, size_t count, uint64_t deadline, uint32_t handled,
             const void *caller);
/* The same of objects that the caller holds; object[i] is NULL: what file[i].fd stands for. Drops
 * none of them. A cancellation point only where it waits. */
int mpj_poll_objects(struct pollfd *file, struct mpj_object *const object[], size_t count,
                     uint64_t deadline, uint32_t handled, const void *caller);
/* select() in the same words; `limit` of mpj_poll(). */
int mpj_select(int count, void *in, void *out, void *odd, uint64_t deadline, uint32_t handled,
               const void *caller);
/* Ticks of a time from now; MPJ_NEVER when it is beyond any run. s and ns are not negative. */
uint64_t mpj_ticks_from_now(uint64_t s, uint64_t ns);

#endif
