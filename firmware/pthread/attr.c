/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thread attributes. The C library's type has no fields for affinity and guard size: they are kept
 * in the upper bits of is_initialized (a bit per core, 0: as the creating thread) and of
 * contentionscope (bytes / 256).
 */
#include <errno.h>
#include <string.h>

#include "pt_int.h"

#define OK             1
#define AFFINITY_SHIFT 8
#define SCOPE_MASK     0xff
#define GUARD_SHIFT    8
#define GUARD_UNIT     256U
#define GUARD_MAX      0x7fffff00U
#define STACK_MAX      ((uint32_t)BOARD_RAM_BYTES - 0x1000000U)

bool pt_attr_ok(const pthread_attr_t *attr)
{
    return attr != NULL && (attr->is_initialized & 0xff) == OK;
}

uint32_t pt_attr_affinity(const pthread_attr_t *attr, uint32_t otherwise)
{
    uint32_t mask = (uint32_t)attr->is_initialized >> AFFINITY_SHIFT;

    return mask == 0 ? otherwise : mask;
}

void pt_attr_set_affinity(pthread_attr_t *attr, uint32_t mask)
{
    attr->is_initialized = OK | (int)((mask & 0xffU) << AFFINITY_SHIFT);
}

/* Attributes of threads that are created without any. */
static pthread_attr_t standard = {
    .is_initialized = OK,
    .stacksize = PT_STACK_DEFAULT,
    .contentionscope = PTHREAD_SCOPE_SYSTEM | (int)(PT_GUARD_DEFAULT / GUARD_UNIT << GUARD_SHIFT),
    .inheritsched = PTHREAD_INHERIT_SCHED,
    .schedpolicy = SCHED_OTHER,
    .detachstate = PTHREAD_CREATE_JOINABLE,
};
static pthread_mutex_t standard_lock = PTHREAD_MUTEX_INITIALIZER;

int pthread_getattr_default_np(pthread_attr_t *attr)
{
    pthread_mutex_lock(&standard_lock);
    *attr = standard;
    pthread_mutex_unlock(&standard_lock);
    return 0;
}

/* Sets the default attributes. As on GNU/Linux, a stack size of 0 keeps the present one, and a
 * stack address is refused, since threads cannot share a stack. */
int pthread_setattr_default_np(const pthread_attr_t *attr)
{
    if (!pt_attr_ok(attr) || attr->stackaddr != NULL ||
        (attr->stacksize != 0 && attr->stacksize < (int)PTHREAD_STACK_MIN) ||
        (attr->schedpolicy == SCHED_OTHER) != (attr->schedparam.sched_priority == 0))
        return EINVAL;
    pthread_mutex_lock(&standard_lock);
    const int bytes = attr->stacksize != 0 ? attr->stacksize : standard.stacksize;
    standard = *attr;
    standard.stacksize = bytes;
    pthread_mutex_unlock(&standard_lock);
    return 0;
}

/* Initialises attributes: the sizes are the defaults of pthread_setattr_default_np(), the rest the
 * standard's values. */
int pthread_attr_init(pthread_attr_t *attr)
{
    pthread_attr_t from;

    (void)pthread_getattr_default_np(&from);
    *attr = (pthread_attr_t){
        .is_initialized = OK,
        .stacksize = from.stacksize,
        .contentionscope = from.contentionscope,
        .inheritsched = PTHREAD_INHERIT_SCHED,
        .schedpolicy = SCHED_OTHER,
        .detachstate = PTHREAD_CREATE_JOINABLE,
    };
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
    if (!pt_attr_ok(attr))
        return EINVAL;
    attr->is_initialized = 0;
    return 0;
}

#define CHECK(attr, condition)                                                                     \
    do {                                                                                           \
        if (!pt_attr_ok(attr) || !(condition))                                                     \
            return EINVAL;                                                                         \
    } while (0)

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    CHECK(attr, size >= PTHREAD_STACK_MIN && size <= STACK_MAX);
    attr->stacksize = (int)size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size)
{
    CHECK(attr, true);
    *size = (size_t)attr->stacksize;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *addr, size_t size)
{
    CHECK(attr, size >= PTHREAD_STACK_MIN && ((uintptr_t)addr & 7U) == 0);
    attr->stackaddr = addr;
    attr->stacksize = (int)size;
    return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **addr, size_t *size)
{
    CHECK(attr, true);
    *addr = attr->stackaddr;
    *size = (size_t)attr->stacksize;
    return 0;
}

int pthread_attr_setstackaddr(pthread_attr_t *attr, void *addr)
{
    CHECK(attr, ((uintptr_t)addr & 7U) == 0);
    attr->stackaddr = addr;
    return 0;
}

int pthread_attr_getstackaddr(const pthread_attr_t *attr, void **addr)
{
    CHECK(attr, true);
    *addr = attr->stackaddr;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
    CHECK(attr, state == PTHREAD_CREATE_DETACHED || state == PTHREAD_CREATE_JOINABLE);
    attr->detachstate = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
    CHECK(attr, true);
    *state = attr->detachstate;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size)
{
    CHECK(attr, size <= GUARD_MAX);
    attr->contentionscope = (attr->contentionscope & SCOPE_MASK) |
                            (int)((size + GUARD_UNIT - 1U) / GUARD_UNIT << GUARD_SHIFT);
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size)
{
    CHECK(attr, true);
    *size = ((uint32_t)attr->contentionscope >> GUARD_SHIFT) * GUARD_UNIT;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attr, int scope)
{
    CHECK(attr, scope == PTHREAD_SCOPE_SYSTEM || scope == PTHREAD_SCOPE_PROCESS);
    if (scope == PTHREAD_SCOPE_PROCESS)
        return ENOTSUP;
    return 0;
}

int pthread_attr_getscope(const pthread_attr_t *attr, int *scope)
{
    CHECK(attr, true);
    *scope = attr->contentionscope & SCOPE_MASK;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit)
{
    CHECK(attr, inherit == PTHREAD_INHERIT_SCHED || inherit == PTHREAD_EXPLICIT_SCHED);
    attr->inheritsched = inherit;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit)
{
    CHECK(attr, true);
    *inherit = attr->inheritsched;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy)
{
    CHECK(attr, policy == SCHED_OTHER || policy == SCHED_FIFO || policy == SCHED_RR);
    attr->schedpolicy = policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy)
{
    CHECK(attr, true);
    *policy = attr->schedpolicy;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param)
{
    CHECK(attr, param->sched_priority >= 0 && param->sched_priority <= (int)MPJ_PRIORITY_MAX);
    attr->schedparam.sched_priority = param->sched_priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param)
{
    CHECK(attr, true);
    param->sched_priority = attr->schedparam.sched_priority;
    return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set)
{
    CHECK(attr, size >= sizeof(set->__bits[0]) && (set->__bits[0] & pt_cores()) != 0);
    pt_attr_set_affinity(attr, (uint32_t)set->__bits[0]);
    return 0;
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set)
{
    CHECK(attr, size >= sizeof(set->__bits[0]));
    memset(set, 0, size);
    set->__bits[0] = pt_attr_affinity(attr, ~0U) & pt_cores();
    return 0;
}
