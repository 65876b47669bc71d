/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of counters: eventfd(), and timerfd_create(), whose counter advances with time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "hal_sys.h"
#include "mpj.h"
#include "objects.h"

#define NS_PER_S 1000000000ULL
#define MOST     (UINT64_MAX - 1U)

struct counter {
    struct mpj_object object; /* must be first */
    uint64_t value;           /* value of an eventfd */
    bool semaphore;
    uint64_t at, interval; /* of a timerfd, in ns as mpj_time_ns() has them; 0: none */
    clockid_t clock;
};

static struct counter *counter_of(struct mpj_object *o)
{
    return (struct counter *)o;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

static void gone(struct mpj_object *o)
{
    free(o);
}

static int opened(struct counter *c, const struct mpj_object_ops *ops, int flags)
{
    const int fd = mpj_object_open(&c->object, ops, flags | O_RDWR);

    if (fd < 0)
        free(c);
    return fd;
}

/* ---- events ---------------------------------------------------------------------- */

static int take(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct counter *const c = counter_of(o);
    const uint64_t n = c->semaphore ? 1U : c->value;

    (void)flags;
    if (len < sizeof(n))
        return -EINVAL;
    if (c->value == 0)
        return -EAGAIN;
    c->value -= n;
    memcpy(data, &n, sizeof(n));
    mpj_object_changed_locked(o, MPJ_OUT);
    if (c->value != 0)
        mpj_object_changed_locked(o, MPJ_IN);
    return (int)sizeof(n);
}

static int add(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct counter *const c = counter_of(o);
    uint64_t n;

    (void)flags;
    if (len < sizeof(n))
        return -EINVAL;
    memcpy(&n, data, sizeof(n));
    if (n == UINT64_MAX)
        return -EINVAL;
    if (n > MOST - c->value)
        return -EAGAIN;
    c->value += n;
    mpj_object_changed_locked(o, MPJ_IN);
    if (c->value < MOST)
        mpj_object_changed_locked(o, MPJ_OUT);
    return (int)sizeof(n);
}

static short event_ready(struct mpj_object *o)
{
    const struct counter *const c = counter_of(o);

    return (short)((c->value != 0 ? POLLIN | POLLRDNORM : 0) |
                   (c->value < MOST ? POLLOUT | POLLWRNORM : 0));
}

static const struct mpj_object_ops event_ops = {.mode = S_IRUSR | S_IWUSR,
                                                .wait = MPJ_WAIT_PIPE,
                                                .move = {take, add},
                                                .ready = event_ready,
                                                .gone = gone};

int eventfd(unsigned value, int flags)
{
    struct counter *c;

    if ((flags & ~(EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK)) != 0)
        return fail(EINVAL);
    c = calloc(1, sizeof(*c));
    if (c == NULL)
        return fail(ENOMEM);
    c->value = value;
    c->semaphore = (flags & EFD_SEMAPHORE) != 0;
    return opened(c, &event_ops, flags & (O_CLOEXEC | O_NONBLOCK));
}

int eventfd_read(int fd, eventfd_t *value)
{
    return read(fd, value, sizeof(*value)) == (ssize_t)sizeof(*value) ? 0 : -1;
}

int eventfd_write(int fd, eventfd_t value)
{
    return write(fd, &value, sizeof(value)) == (ssize_t)sizeof(value) ? 0 : -1;
}

/* ---- timers ---------------------------------------------------------------------- */

/* Returns the number of expirations that have not been read. */
static uint64_t expired(const struct counter *c)
{
    const uint64_t now = mpj_time_ns();

    if (c->at == 0 || now < c->at)
        return 0;
    return c->interval == 0 ? 1U : 1U + (now - c->at) / c->interval;
}

static int take_expired(struct mpj_object *o, void *data, size_t len, int flags)
{
    struct counter *const c = counter_of(o);
    const uint64_t n = expired(c);

    (void)flags;
    if (len < sizeof(n))
        return -EINVAL;
    if (n == 0)
        return -EAGAIN;
    c->at = c->interval == 0 ? 0 : c->at + n * c->interval;
    memcpy(data, &n, sizeof(n));
    return (int)sizeof(n);
}

static short timer_ready(struct mpj_object *o)
{
    return expired(counter_of(o)) != 0 ? POLLIN | POLLRDNORM : 0;
}

static uint64_t timer_due(const struct mpj_object *o)
{
    const struct counter *const c = (const struct counter *)o;

    return c->at != 0 ? mpj_sched_ticks(c->at) : MPJ_NEVER;
}

static const struct mpj_object_ops timer_ops = {.mode = S_IRUSR | S_IWUSR,
                                                .wait = MPJ_WAIT_SLEEP,
                                                .move = {take_expired, NULL},
                                                .ready = timer_ready,
                                                .due = timer_due,
                                                .gone = gone};

int timerfd_create(clockid_t clock, int flags)
{
    struct counter *c;

    if ((flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)) != 0 ||
        (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME))
        return fail(EINVAL);
    c = calloc(1, sizeof(*c));
    if (c == NULL)
        return fail(ENOMEM);
    c->clock = clock;
    return opened(c, &timer_ops, flags);
}

/* Returns a timer's counter, which the caller must drop; NULL with errno. */
static struct counter *timer_at(int fd)
{
    struct mpj_object *const o = mpj_object_hold(fd, NULL);

    if (o == NULL || o->ops == &timer_ops)
        return o != NULL ? counter_of(o) : NULL;
    mpj_object_drop(o);
    errno = EINVAL;
    return NULL;
}

static bool valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)NS_PER_S;
}

static uint64_t ns_of(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

static struct timespec spec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

/* Returns the timer's present setting. Lock held. */
static struct itimerspec present(const struct counter *c)
{
    const uint64_t now = mpj_time_ns();
    uint64_t next = c->at;

    if (next != 0 && next <= now)
        next = c->interval == 0 ? now : next + expired(c) * c->interval;
    return (struct itimerspec){.it_interval = spec_of(c->interval),
                               .it_value = spec_of(c->at != 0 ? next - now : 0)};
}

int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    struct itimerspec before;
    struct timespec day;
    struct counter *c;
    uint64_t ns;
    hal_irq_state s;

    if ((flags & ~TFD_TIMER_ABSTIME) != 0 || !valid(&value->it_value) ||
        !valid(&value->it_interval))
        return fail(EINVAL);
    c = timer_at(fd);
    if (c == NULL)
        return -1;
    (void)clock_gettime(c->clock, &day);
    s = mpj_sched_lock();
    before = present(c);
    ns = ns_of(&value->it_value);
    c->interval = ns_of(&value->it_interval);
    if (ns != 0 && (flags & TFD_TIMER_ABSTIME) != 0) /* absolute times are of the timer's clock */
        ns = ns > ns_of(&day) ? ns - ns_of(&day) : 1U;
    c->at = ns != 0 ? mpj_time_ns() + ns : 0;
    mpj_object_ended_locked(&c->object); /* wakes all waiters to read the new setting */
    mpj_sched_unlock(s);
    mpj_object_drop(&c->object);
    if (old != NULL)
        *old = before;
    return 0;
}

int timerfd_gettime(int fd, struct itimerspec *value)
{
    struct counter *const c = timer_at(fd);
    hal_irq_state s;

    if (c == NULL)
        return -1;
    s = mpj_sched_lock();
    *value = present(c);
    mpj_sched_unlock(s);
    mpj_object_drop(&c->object);
    return 0;
}
