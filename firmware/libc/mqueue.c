/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Message queues: messages are in order of priority, and oldest first among equals. */
#include <errno.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "mpj.h"
#include "objects.h"

#define MOST      1024 /* messages at most */
#define LARGEST   (1 << 20)
#define URGENCIES 32768U
#define NS_PER_S  1000000000
#define CALLER()  __builtin_return_address(0)
#define OURS      0x20000000 /* in `flags`: the transfer is not a read() or write() */

struct message {
    struct message *next;
    size_t size;
    unsigned priority;
    char text[];
};

struct handle;

struct queue {
    struct queue *next; /* list of all named queues */
    char *name;         /* NULL: unlinked */
    long most, largest, count;
    struct message *first;
    struct handle *handles;
    struct handle *told; /* the handle that called mq_notify(); NULL: none */
    struct sigevent event;
};

/* The object of a descriptor, made by mq_open(). */
struct handle {
    struct mpj_object object; /* must be first */
    struct queue *queue;
    struct handle *next;
};

/* One transfer. Messages are allocated and freed without the scheduler's lock. */
struct parcel {
    struct message *message; /* to be sent; received */
    struct sigevent event;   /* notification to deliver */
};

static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER; /* guards all_queues and handles */
static struct queue *all_queues;

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct queue *queue_of(struct mpj_object *o)
{
    return ((struct handle *)o)->queue;
}

/* ---- transfers: scheduler's lock held -------------------------------------------- */

static void changed(const struct queue *q, enum mpj_way way)
{
    for (struct handle *h = q->handles; h != NULL; h = h->next)
        mpj_object_changed_locked(&h->object, way);
}

static int take(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct queue *const q = queue_of(o);
    struct parcel *const p = data;

    (void)len;
    if ((flags & OURS) == 0)
        return -EBADF;
    if (q->count == 0)
        return -EAGAIN;
    p->message = q->first;
    q->first = q->first->next;
    q->count--;
    changed(q, MPJ_OUT);
    if (q->count != 0)
        changed(q, MPJ_IN);
    return 1;
}

static bool received_by_a_thread(const struct queue *q)
{
    for (const struct handle *h = q->handles; h != NULL; h = h->next) {
        if (mpj_object_waited(&h->object, MPJ_IN))
            return true;
    }
    return false;
}

static int put(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct queue *const q = queue_of(o);
    struct parcel *const p = data;
    struct message **at = &q->first;

    (void)len;
    if ((flags & OURS) == 0)
        return -EBADF;
    if (q->count == q->most)
        return -EAGAIN;
    if (q->told != NULL && q->count == 0 && !received_by_a_thread(q)) {
        p->event = q->event;
        q->told = NULL;
    }
    while (*at != NULL && (*at)->priority >= p->message->priority)
        at = &(*at)->next;
    p->message->next = *at;
    *at = p->message;
    q->count++;
    changed(q, MPJ_IN);
    if (q->count != q->most)
        changed(q, MPJ_OUT);
    return 1;
}

static short ready(struct mpj_object *o)
{
    const struct queue *const q = queue_of(o);

    return (short)((q->count != 0 ? POLLIN | POLLRDNORM : 0) |
                   (q->count != q->most ? POLLOUT | POLLWRNORM : 0));
}

/* ---- queues: `names` held -------------------------------------------------------- */

static void drop_unused(struct queue *q)
{
    struct queue **at = &all_queues;

    if (q->handles != NULL || q->name != NULL)
        return;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    while (q->first != NULL) {
        struct message *const m = q->first;

        q->first = m->next;
        free(m);
    }
    free(q);
}

static void gone(struct mpj_object *o)
{
    struct handle *const h = (struct handle *)o;
    struct queue *const q = h->queue;
    struct handle **at = &q->handles;
    hal_irq_state s;

    (void)pthread_mutex_lock(&names);
    s = mpj_sched_lock();
    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    if (q->told == h)
        q->told = NULL;
    mpj_sched_unlock(s);
    drop_unused(q);
    (void)pthread_mutex_unlock(&names);
    free(h);
}

static const struct mpj_object_ops ops = {.mode = S_IFREG | S_IRUSR | S_IWUSR,
                                          .wait = MPJ_WAIT_QUEUE,
                                          .move = {take, put},
                                          .ready = ready,
                                          .gone = gone};

static struct queue *named(const char *name)
{
    struct queue *q = all_queues;

    while (q != NULL && (q->name == NULL || strcmp(q->name, name) != 0))
        q = q->next;
    return q;
}

static struct queue *make(const char *name, const struct mq_attr *attr)
{
    struct queue *const q = calloc(1, sizeof(*q));

    if (q == NULL)
        return NULL;
    q->name = strdup(name);
    if (q->name == NULL) {
        free(q);
        return NULL;
    }
    q->most = attr != NULL ? attr->mq_maxmsg : 10;
    q->largest = attr != NULL ? attr->mq_msgsize : 8192;
    q->next = all_queues;
    all_queues = q;
    return q;
}

/* Opens a descriptor of a queue; -1 with errno. */
static int open_queue(struct queue *q, int flags)
{
    struct handle *const h = calloc(1, sizeof(*h));
    hal_irq_state s;
    int fd;

    if (h == NULL)
        return fail(ENOMEM);
    h->queue = q;
    fd = mpj_object_open(&h->object, &ops, flags & (O_ACCMODE | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0) {
        free(h);
        return -1;
    }
    s = mpj_sched_lock();
    h->next = q->handles;
    q->handles = h;
    mpj_sched_unlock(s);
    return fd;
}

static int check_name(const char *name)
{
    if (name[0] != '/' || name[1] == '\0')
        return fail(name[0] == '/' ? ENOENT : EINVAL);
    if (strlen(name + 1) > NAME_MAX)
        return fail(ENAMETOOLONG);
    return strchr(name + 1, '/') != NULL ? fail(EACCES) : 0;
}

static bool valid(const struct mq_attr *attr)
{
    return attr == NULL || (attr->mq_maxmsg > 0 && attr->mq_maxmsg <= MOST &&
                            attr->mq_msgsize > 0 && attr->mq_msgsize <= LARGEST);
}

/* Opens a queue by its name. `names` held. */
static int open_named(const char *name, int flags, const struct mq_attr *attr)
{
    struct queue *q = named(name);
    const bool is_new = q == NULL;
    int fd;

    if (q != NULL && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
        return fail(EEXIST);
    if (q == NULL && (flags & O_CREAT) == 0)
        return fail(ENOENT);
    if (q == NULL && !valid(attr))
        return fail(EINVAL);
    if (q == NULL)
        q = make(name, attr);
    if (q == NULL)
        return fail(ENOMEM);
    fd = open_queue(q, flags);
    if (fd < 0 && is_new) {
        free(q->name);
        q->name = NULL;
    }
    drop_unused(q);
    return fd;
}

mqd_t mq_open(const char *name, int flags, ...)
{
    const struct mq_attr *attr = NULL;
    int fd;

    if ((flags & O_CREAT) != 0) {
        va_list ap;

        va_start(ap, flags);
        (void)va_arg(ap, int); /* mode */
        attr = va_arg(ap, const struct mq_attr *);
        va_end(ap);
    }
    if (check_name(name) != 0)
        return -1;
    (void)pthread_mutex_lock(&names);
    fd = open_named(name, flags, attr);
    (void)pthread_mutex_unlock(&names);
    return fd;
}

int mq_unlink(const char *name)
{
    struct queue *q;

    if (check_name(name) != 0)
        return -1;
    (void)pthread_mutex_lock(&names);
    q = named(name);
    if (q != NULL) {
        free(q->name);
        q->name = NULL;
        drop_unused(q);
    }
    (void)pthread_mutex_unlock(&names);
    return q != NULL ? 0 : fail(ENOENT);
}

/* ---- with a descriptor ----------------------------------------------------------- */

/* Returns the handle of a descriptor, which the caller must drop; NULL with EBADF. not_with: the
 * access mode that it must not have. */
static struct handle *handle_at(int fd, int not_with, int *flags)
{
    struct mpj_object *const o = mpj_object_hold(fd, flags);

    if (o != NULL && o->ops == &ops && (*flags & O_ACCMODE) != not_with)
        return (struct handle *)o;
    if (o != NULL)
        mpj_object_drop(o);
    errno = EBADF;
    return NULL;
}

int mq_close(mqd_t fd)
{
    int flags;
    struct handle *const h = handle_at(fd, -1, &flags);
    hal_irq_state s;

    if (h == NULL)
        return -1;
    s = mpj_sched_lock();
    if (h->queue->told == h)
        h->queue->told = NULL;
    mpj_sched_unlock(s);
    mpj_object_drop(&h->object);
    return close(fd);
}

/* Converts a time limit to ticks. Returns 0 or an errno number. */
static int deadline_of(const struct timespec *limit, uint64_t *ticks)
{
    struct timespec now;
    int64_t ns;

    *ticks = MPJ_NEVER;
    if (limit == NULL)
        return 0;
    if (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= NS_PER_S)
        return EINVAL;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    ns = (int64_t)(limit->tv_sec - now.tv_sec) * NS_PER_S + (limit->tv_nsec - now.tv_nsec);
    *ticks = mpj_sched_ticks(mpj_time_ns() + (uint64_t)(ns > 0 ? ns : 0));
    return 0;
}

/* Transfers a message. Tries without waiting first: an invalid time limit matters only when the
 * call would wait. */
static int transfer(struct handle *h, enum mpj_way way, struct parcel *p, int flags,
                    const struct timespec *limit, const void *caller)
{
    uint64_t deadline;
    int r = mpj_object_transfer(&h->object, way, p, sizeof(*p), OURS, false, MPJ_NEVER, caller);

    if (r != -EAGAIN || (flags & O_NONBLOCK) != 0)
        return r;
    r = deadline_of(limit, &deadline);
    if (r != 0)
        return -r;
    return mpj_object_transfer(&h->object, way, p, sizeof(*p), OURS, true, deadline, caller);
}

static int finish(struct handle *h, int r)
{
    mpj_object_drop(&h->object);
    if (r == -ECANCELED)
        pthread_testcancel();
    return r < 0 ? fail(-r) : 0;
}

static int sends(int fd, const char *text, size_t size, unsigned priority,
                 const struct timespec *limit, const void *caller)
{
    struct parcel p = {.event.sigev_notify = SIGEV_NONE};
    int flags;
    struct handle *h;
    int r;

    mpj_cancel_point();
    if (priority >= URGENCIES)
        return fail(EINVAL);
    h = handle_at(fd, O_RDONLY, &flags);
    if (h == NULL)
        return -1;
    if (size > (size_t)h->queue->largest)
        return finish(h, -EMSGSIZE);
    p.message = malloc(sizeof(*p.message) + size);
    if (p.message == NULL)
        return finish(h, -ENOMEM);
    *p.message = (struct message){.size = size, .priority = priority};
    memcpy(p.message->text, text, size);
    r = transfer(h, MPJ_OUT, &p, flags, limit, caller);
    if (r < 0)
        free(p.message);
    else
        mpj_thread_tell(&p.event, SI_MESGQ);
    return finish(h, r);
}

static ssize_t receives(int fd, char *text, size_t size, unsigned *priority,
                        const struct timespec *limit, const void *caller)
{
    struct parcel p = {.message = NULL};
    int flags;
    struct handle *h;
    ssize_t n;
    int r;

    mpj_cancel_point();
    h = handle_at(fd, O_WRONLY, &flags);
    if (h == NULL)
        return -1;
    if (size < (size_t)h->queue->largest)
        return finish(h, -EMSGSIZE);
    r = transfer(h, MPJ_IN, &p, flags, limit, caller);
    if (r < 0)
        return finish(h, r);
    n = (ssize_t)p.message->size;
    memcpy(text, p.message->text, p.message->size);
    if (priority != NULL)
        *priority = p.message->priority;
    free(p.message);
    (void)finish(h, 0);
    return n;
}

int mq_send(mqd_t fd, const char *text, size_t size, unsigned priority)
{
    return sends(fd, text, size, priority, NULL, CALLER());
}

int mq_timedsend(mqd_t fd, const char *text, size_t size, unsigned priority,
                 const struct timespec *limit)
{
    return sends(fd, text, size, priority, limit, CALLER());
}

ssize_t mq_receive(mqd_t fd, char *text, size_t size, unsigned *priority)
{
    return receives(fd, text, size, priority, NULL, CALLER());
}

ssize_t mq_timedreceive(mqd_t fd, char *restrict text, size_t size, unsigned *restrict priority,
                        const struct timespec *restrict limit)
{
    return receives(fd, text, size, priority, limit, CALLER());
}

int mq_getattr(mqd_t fd, struct mq_attr *attr)
{
    return mq_setattr(fd, NULL, attr);
}

int mq_setattr(mqd_t fd, const struct mq_attr *restrict attr, struct mq_attr *restrict old)
{
    int flags;
    struct handle *const h = handle_at(fd, -1, &flags);

    if (h == NULL)
        return -1;
    if (attr != NULL && (attr->mq_flags & ~(long)O_NONBLOCK) != 0)
        return finish(h, -EINVAL);
    if (old != NULL)
        *old = (struct mq_attr){.mq_flags = flags & O_NONBLOCK,
                                .mq_maxmsg = h->queue->most,
                                .mq_msgsize = h->queue->largest,
                                .mq_curmsgs = h->queue->count};
    if (attr != NULL)
        (void)fcntl(fd, F_SETFL, (flags & ~O_NONBLOCK) | (int)attr->mq_flags);
    return finish(h, 0);
}

int mq_notify(mqd_t fd, const struct sigevent *event)
{
    int flags;
    struct handle *const h = handle_at(fd, -1, &flags);
    hal_irq_state s;
    int r = 0;

    if (h == NULL)
        return -1;
    if (event != NULL && event->sigev_notify != SIGEV_NONE && event->sigev_notify != SIGEV_THREAD &&
        (event->sigev_notify != SIGEV_SIGNAL || event->sigev_signo <= 0 ||
         event->sigev_signo >= NSIG))
        return finish(h, -EINVAL);
    s = mpj_sched_lock();
    if (event == NULL && h->queue->told == h) {
        h->queue->told = NULL;
    } else if (event != NULL && h->queue->told != NULL) {
        r = -EBUSY;
    } else if (event != NULL) {
        h->queue->told = h;
        h->queue->event = *event;
    }
    mpj_sched_unlock(s);
    return finish(h, r);
}
