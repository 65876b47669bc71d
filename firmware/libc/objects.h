/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects of descriptors that are not files of the host: pipes, sockets, counters, in memory, by
 * which threads wait for each other. A descriptor's `host` (files.h) holds the address of such an
 * object. Programs without any are not linked with objects.c, to which files.c and poll.c refer
 * weakly.
 */
#ifndef MPJ_OBJECTS_H
#define MPJ_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpj_sched.h"

/* Device numbers (files.h) from here on are objects: the rest is the object's address, which is in
 * RAM. */
#define MPJ_OBJECT 0x60000000

enum mpj_way { MPJ_IN, MPJ_OUT }; /* also the index of a pipe's two ends */

struct mpj_object;

/* A kind of object. All functions except `gone` are called with the scheduler's lock held: they are
 * short, and neither wait nor allocate. */
struct mpj_object_ops {
    mode_t mode;             /* as fstat() shows it */
    enum mpj_wait_kind wait; /* reason of its threads' waits, in the profile */
    bool stream; /* of bytes: a transfer continues until all are done or it would wait */
    /* Transfers at most a few thousand bytes at once and returns their number; -EAGAIN: the thread
     * waits, or another negative errno. flags: MSG_PEEK and the like. NULL: EINVAL. */
    int (*move[2])(struct mpj_object *o, void *data, size_t len, int flags);
    /* Returns POLLIN and the like that are true now. */
    short (*ready)(struct mpj_object *o);
    /* Returns when the object becomes ready by itself, in ticks. NULL: never. */
    uint64_t (*due)(const struct mpj_object *o);
    /* Returns the number of bytes that can be read. NULL: ENOTTY. */
    size_t (*available)(const struct mpj_object *o);
    /* Frees the object after the last descriptor and the last thread have released it. Lock not
     * held. */
    void (*gone)(struct mpj_object *o);
};

/* A thread that waits for one of several objects. */
struct mpj_watch {
    struct mpj_watch *next;
    struct mpj_object *object; /* NULL: none, and the watch is not in a list */
    struct mpj_thread *thread;
};

struct mpj_object {
    const struct mpj_object_ops *ops;
    struct mpj_watch *watches;
    unsigned users;             /* open descriptions, and threads that are in a call */
    volatile uint32_t stdio[2]; /* a thread waits in its stream, without the streams' lock */
};

static inline struct mpj_object *mpj_object_of(int host)
{
    return host >= MPJ_OBJECT ? (struct mpj_object *)(uintptr_t)(host - MPJ_OBJECT) : NULL;
}

/* Opens a descriptor for a new object, which *o describes. -1 with errno when there is none left:
 * the object still exists. flags: access, O_NONBLOCK, O_CLOEXEC. */
int mpj_object_open(struct mpj_object *o, const struct mpj_object_ops *ops, int flags);

/* Returns the object of a descriptor, which exists until mpj_object_drop(), even if the descriptor
 * is closed. NULL with EBADF if the descriptor is not open, with EINVAL if it has no object. flags:
 * NULL, or receives F_GETFL's. */
__attribute__((weak)) struct mpj_object *mpj_object_hold(int fd, int *flags);
__attribute__((weak)) void mpj_object_drop(struct mpj_object *o);

/* Performs read(), write() and their kin on such a descriptor: returns bytes, or -1 with errno.
 * cancel: it is a cancellation point. caller: an address in the program. */
__attribute__((weak)) int mpj_object_move(int fd, enum mpj_way way, void *data, size_t len,
                                          int flags, bool cancel, const void *caller);

/* Transfers as mpj_object_move(), with an object that the caller holds and until a deadline
 * (ticks), then -ETIMEDOUT; returns the error instead of setting errno. waits: the transfer may
 * wait. */
int mpj_object_transfer(struct mpj_object *o, enum mpj_way way, void *data, size_t len, int flags,
                        bool waits, uint64_t deadline, const void *caller);

/* Removes an object whose last descriptor was closed from the sets of epoll_create(). */
__attribute__((weak)) void mpj_epoll_forget(const struct mpj_object *o);

/* Wakes, after a change that may have made the object ready that way, one of the threads in a call
 * and those that watch it. Lock held. */
void mpj_object_changed_locked(struct mpj_object *o, enum mpj_way way);
/* Wakes as mpj_object_changed_locked(), and all threads in calls: no data will come, or it will
 * come at another time. */
void mpj_object_ended_locked(struct mpj_object *o);

/* True if a thread is in a call that waits for the object. Lock held. */
bool mpj_object_waited(const struct mpj_object *o, enum mpj_way way);

struct pollfd;
/* Polls until `deadline` (ticks, MPJ_NEVER; 0: does not wait), or until the calling thread has run
 * more handlers than `handled`. Returns the number that are ready, or -1 with errno. */
int mpj_poll(struct pollfd *file, size_t count, uint64_t deadline, uint32_t handled,
             const void *caller);
/* Polls objects that the caller holds; where object[i] is NULL, the object of file[i].fd. Drops
 * none of them. The caller holds interruptions off (mpj_thread_hold()), once, so that no handler
 * jumps out of the call. Returns the number that are ready, or a negative errno: -EINTR: what
 * interrupted the thread is done when the caller releases it; -ECANCELED, -ENOMEM. */
int mpj_poll_objects(struct pollfd *file, struct mpj_object *const object[], size_t count,
                     uint64_t deadline, uint32_t handled, const void *caller);
/* Returns true if a thread that was interrupted, and then released, has run no handler: it polls
 * again. */
bool mpj_poll_again(int result, uint32_t handled);
/* Ends a poll of a thread that can be interrupted: is cancelled, sets errno and returns -1, or
 * returns the result. */
int mpj_poll_result(int result);
/* Performs select() with the same `deadline` and `handled`; `limit` as of mpj_poll(). */
int mpj_select(int count, void *in, void *out, void *odd, uint64_t deadline, uint32_t handled,
               const void *caller);
/* Converts a time from now to ticks; MPJ_NEVER when it is beyond any run. s and ns are not
 * negative. */
uint64_t mpj_ticks_from_now(uint64_t s, uint64_t ns);

#endif
