/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: creation, end, join, cancellation. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reent.h>

#include "mpj_tls.h"
#include "pt_int.h"

#define HANDLE_SLOT  0xfffU
#define HANDLE_SHIFT 12U
#define COLOUR_BYTES 512U /* makes stacks begin at different sets of the cache */
#define COLOURS      8U
#define FRAME_ROOM   512U

static volatile int alive = 1; /* threads that have not begun to end */

pthread_t pt_handle(const struct mpj_thread *t)
{
    return ((uint32_t)t->generation << HANDLE_SHIFT) | (t->slot + 1U);
}

struct mpj_thread *pt_find_locked(pthread_t handle)
{
    struct mpj_thread *t = mpj_thread_by_slot((handle & HANDLE_SLOT) - 1U);

    return t != NULL && pt_handle(t) == handle && t->state != MPJ_THREAD_FREE ? t : NULL;
}

pthread_t pthread_self(void)
{
    return pt_handle(mpj_thread_self());
}

int pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}

/* ---- creation -------------------------------------------------------------------- */

static void begin(struct mpj_thread *t)
{
    pthread_exit(t->entry(t->arg));
}

/* Divides the thread's memory, from the top: thread-local storage, keys, the C library's state,
 * stack. Returns 0 if it is too small. */
static uintptr_t carve(struct mpj_thread *t, uintptr_t low, uintptr_t high)
{
    uintptr_t keys_bytes = PTHREAD_KEYS_MAX * sizeof(struct pt_key_value);
    uintptr_t align = mpj_tls_align();
    uintptr_t at = (high - mpj_tls_bytes()) & ~(align - 1U);

    t->tls = (void *)at;
    at -= keys_bytes;
    t->keys = (void *)at;
    at = (at - sizeof(struct _reent)) & ~7U;
    t->reent = (void *)at;
    at -= t->slot % COLOURS * COLOUR_BYTES;
    if (at < low + FRAME_ROOM || at > high)
        return 0;
    mpj_tls_init(t->tls);
    pt_reent_init(t->reent);
    t->stack_low = low;
    t->stack_high = at;
    return at;
}

static uint32_t stack_need(uint32_t bytes)
{
    return bytes +
           (uint32_t)(mpj_tls_bytes() + mpj_tls_align() + sizeof(struct _reent) +
                      PTHREAD_KEYS_MAX * sizeof(struct pt_key_value)) +
           COLOURS * COLOUR_BYTES + FRAME_ROOM;
}

static void discard(struct mpj_thread *t)
{
    hal_irq_state s = mpj_sched_lock();

    t->stack_high = 0; /* not painted */
    mpj_thread_reclaim_locked(t);
    mpj_sched_unlock(s);
}

static int schedule_of(const pthread_attr_t *attr, struct mpj_thread *t)
{
    const struct mpj_thread *self = mpj_thread_self();
    int priority = attr->schedparam.sched_priority;

    t->policy = self->policy;
    t->slices = self->slices;
    if (attr->inheritsched == PTHREAD_INHERIT_SCHED)
        return 0;
    if ((attr->schedpolicy == SCHED_OTHER) != (priority == 0))
        return EINVAL;
    t->policy = attr->schedpolicy;
    t->slices = attr->schedpolicy != SCHED_FIFO;
    t->run.priority = (uint8_t)priority;
    return 0;
}

int pt_create(struct mpj_thread **out, const pthread_attr_t *attr, void *(*fn)(void *arg),
              void *arg)
{
    struct mpj_thread *t = mpj_thread_memory();
    struct mpj_stack_note last = {0};
    uintptr_t low, top;
    uint32_t bytes = (uint32_t)attr->stacksize;
    uint32_t affinity;
    int r;

    if (t == NULL)
        return EAGAIN;
    memset(t, 0, offsetof(struct mpj_thread, prof));
    if (!mpj_thread_register(t, (const void *)(uintptr_t)fn)) {
        mpj_thread_forget(t);
        return EAGAIN;
    }
    low = (uintptr_t)attr->stackaddr;
    if (low == 0) {
        bytes = stack_need(bytes);
        low = t->stack = mpj_mem_stack_get(&bytes, &last);
    }
    top = low == 0 ? 0 : carve(t, low, low + bytes);
    r = top == 0 ? EAGAIN : schedule_of(attr, t);
    affinity = pt_attr_affinity(attr, mpj_thread_self()->run.affinity);
    if (r == 0 && (affinity & pt_cores()) == 0)
        r = EINVAL;
    if (r != 0) {
        (void)mpj_mem_stack_seen(&last, true);
        discard(t);
        return r;
    }
    t->run.affinity = affinity;
    t->signals.blocked = mpj_thread_self()->signals.blocked;
    t->entry = fn;
    t->arg = arg;
    t->detached = attr->detachstate == PTHREAD_CREATE_DETACHED;
    mpj_thread_paint(t, &last);
    mpj_thread_frame(t, top, begin);
    *out = t;
    return 0;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*fn)(void *arg), void *arg)
{
    struct mpj_thread *t;
    pthread_attr_t standard;
    int r;

    if (attr == NULL) {
        (void)pthread_getattr_default_np(&standard);
        attr = &standard;
    }
    if (!pt_attr_ok(attr))
        return EINVAL;
    r = pt_create(&t, attr, fn, arg);
    if (r != 0)
        return r;
    *handle = pt_handle(t);
    __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
    mpj_thread_start(t);
    return 0;
}

/* ---- end ------------------------------------------------------------------------- */

void pthread_exit(void *value)
{
    struct mpj_thread *self = mpj_thread_self();
    struct _pthread_cleanup_context *c;

    self->cancel_off = true;
    while ((c = self->cleanup) != NULL) {
        self->cleanup = c->_previous;
        c->_routine(c->_arg);
    }
    pt_keys_run(self);
    mpj_thread_hold(); /* never returns */
    if (mpj_thread_leaves != NULL)
        mpj_thread_leaves();
    if (pt_signals_leave != NULL)
        pt_signals_leave();
    if (pt_special_leave != NULL)
        pt_special_leave();
    if (__atomic_sub_fetch(&alive, 1, __ATOMIC_ACQ_REL) == 0)
        exit(0);
    pt_reent_exit(self);
    self->value = value;
    mpj_thread_end();
}

/* Takes the value of an ended thread and frees the thread. Lock held. */
static void collect(struct mpj_thread *t, void **value)
{
    if (value != NULL)
        *value = t->value;
    mpj_thread_reclaim_locked(t);
}

/* Waits once for a thread to end. Returns an errno number, -ECANCELED or -EINTR. */
static int join_once(pthread_t handle, void **value, uint64_t deadline, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_JOIN, .caller = caller};
    struct mpj_thread *self = mpj_thread_self(), *t;
    hal_irq_state s;
    int r = 0;

    s = mpj_sched_lock();
    t = pt_find_locked(handle);
    if (t == NULL)
        r = ESRCH;
    else if (t == self || t->joining == self)
        r = EDEADLK;
    else if (t->detached || t->joiner != NULL)
        r = EINVAL;
    else if (t->state != MPJ_THREAD_DEAD && deadline == 0)
        r = EBUSY;
    if (r == 0 && !t->buried) {
        t->joiner = self;
        self->joining = t;
        info.object = (const void *)(uintptr_t)t->entry;
        info.owner = t->id;
        r = mpj_sched_block_locked(&info, deadline, true);
        (void)mpj_sched_lock();
    }
    if (r == 0)
        collect(t, value);
    mpj_sched_unlock(s);
    return r == -ETIMEDOUT ? ETIMEDOUT : r;
}

static int join(pthread_t handle, void **value, uint64_t deadline, const void *caller)
{
    int r;

    pthread_testcancel();
    while ((r = join_once(handle, value, deadline, caller)) == -EINTR)
        mpj_thread_poll();
    if (r == -ECANCELED)
        pthread_testcancel();
    return r;
}

int pthread_join(pthread_t handle, void **value)
{
    return join(handle, value, MPJ_NEVER, PT_CALLER());
}

int pthread_tryjoin_np(pthread_t handle, void **value)
{
    return join(handle, value, 0, PT_CALLER());
}

int pthread_timedjoin_np(pthread_t handle, void **value, const struct timespec *abstime)
{
    uint64_t deadline;
    int r = pt_deadline(CLOCK_REALTIME, abstime, &deadline);

    return r != 0 ? r : join(handle, value, deadline, PT_CALLER());
}

int pthread_clockjoin_np(pthread_t handle, void **value, clockid_t clock,
                         const struct timespec *abstime)
{
    uint64_t deadline;
    int r = pt_deadline(clock, abstime, &deadline);

    return r != 0 ? r : join(handle, value, deadline, PT_CALLER());
}

int pthread_detach(pthread_t handle)
{
    hal_irq_state s = mpj_sched_lock();
    struct mpj_thread *t = pt_find_locked(handle);
    int r = 0;

    if (t == NULL)
        r = ESRCH;
    else if (t->detached || t->joiner != NULL)
        r = EINVAL;
    else if (t->buried)
        mpj_thread_reclaim_locked(t);
    else
        t->detached = true;
    mpj_sched_unlock(s);
    return r;
}

/* ---- interrupting a thread: signals, and asynchronous cancellation --------------- */

static bool cancelled_anywhere(const struct mpj_thread *self)
{
    return self->cancel_pending && !self->cancel_off &&
           self->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS;
}

void pt_interrupted(void)
{
    const int error = errno;

    if (pt_signals_deliver != NULL)
        pt_signals_deliver();
    if (cancelled_anywhere(mpj_thread_self()))
        pthread_exit(PTHREAD_CANCELED);
    errno = error;
}

/* ---- cancellation ---------------------------------------------------------------- */

int pthread_cancel(pthread_t handle)
{
    hal_irq_state s = mpj_sched_lock();
    struct mpj_thread *t = pt_find_locked(handle);
    bool mine = false;

    if (t != NULL) {
        t->cancel_pending = true;
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* see pthread_setcanceltype() */
        mine = t == mpj_thread_self();
        if (t->state == MPJ_THREAD_BLOCKED && t->cancel_point && !t->cancel_off)
            mpj_sched_wake_locked(t, -ECANCELED);
        else if (!mine && cancelled_anywhere(t))
            mpj_thread_interrupt_locked(t, pt_interrupted);
    }
    mpj_sched_unlock(s);
    if (mine && cancelled_anywhere(t))
        pthread_exit(PTHREAD_CANCELED);
    return t == NULL ? ESRCH : 0;
}

void pthread_testcancel(void)
{
    struct mpj_thread *self = mpj_thread_self();

    if (self->cancel_pending && !self->cancel_off)
        pthread_exit(PTHREAD_CANCELED);
}

/* Acts on a pending cancellation after a change of state or type: a canceller sets the flag first
 * and reads state and type afterwards. */
static void cancel_now_if_anywhere(const struct mpj_thread *self)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (cancelled_anywhere(self))
        pthread_exit(PTHREAD_CANCELED);
}

int pthread_setcancelstate(int state, int *old)
{
    struct mpj_thread *self = mpj_thread_self();

    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old != NULL)
        *old = self->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    cancel_now_if_anywhere(self);
    return 0;
}

int pthread_setcanceltype(int type, int *old)
{
    struct mpj_thread *self = mpj_thread_self();

    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (old != NULL)
        *old = self->cancel_type;
    self->cancel_type = (uint8_t)type;
    cancel_now_if_anywhere(self);
    return 0;
}

void _pthread_cleanup_push(struct _pthread_cleanup_context *context, void (*routine)(void *arg),
                           void *arg)
{
    struct mpj_thread *self = mpj_thread_self();

    context->_routine = routine;
    context->_arg = arg;
    context->_previous = self->cleanup;
    self->cleanup = context;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_context *context, int execute)
{
    mpj_thread_self()->cleanup = context->_previous;
    if (execute)
        context->_routine(context->_arg);
}

void _pthread_cleanup_push_defer(struct _pthread_cleanup_context *context,
                                 void (*routine)(void *arg), void *arg)
{
    _pthread_cleanup_push(context, routine, arg);
    (void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &context->_canceltype);
}

void _pthread_cleanup_pop_restore(struct _pthread_cleanup_context *context, int execute)
{
    (void)pthread_setcanceltype(context->_canceltype, NULL);
    _pthread_cleanup_pop(context, execute);
}
