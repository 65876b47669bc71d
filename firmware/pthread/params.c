/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of a running thread that can be read and changed: cores, priority, name. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mpj_smp.h"
#include "pt_int.h"

#define MAIN_ID 1U /* of the main thread */

uint32_t pt_cores(void)
{
    return mpj_smp_active();
}

/* ---- cores ----------------------------------------------------------------------- */

static int set_affinity(struct mpj_thread *t, uint32_t mask)
{
    if ((mask & pt_cores()) == 0)
        return EINVAL;
    mpj_thread_set(t, t->run.priority, mask, t->slices);
    return 0;
}

static struct mpj_thread *find(pthread_t handle)
{
    hal_irq_state s = mpj_sched_lock();
    struct mpj_thread *t = pt_find_locked(handle);

    mpj_sched_unlock(s);
    return t;
}

int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set)
{
    struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    return size < sizeof(set->__bits[0]) ? EINVAL : set_affinity(t, (uint32_t)set->__bits[0]);
}

int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *set)
{
    struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    if (size < sizeof(set->__bits[0]))
        return EINVAL;
    memset(set, 0, size);
    set->__bits[0] = t->run.affinity & pt_cores();
    return 0;
}

static int result(int error)
{
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* Returns the thread that Linux's calls mean by a pid: 0 is the caller, getpid() the main thread,
 * and gettid() the id of the calling thread. 0 if no thread has that id. */
static pthread_t by_pid(pid_t pid)
{
    const uint32_t id = pid == getpid() ? MAIN_ID : (uint32_t)pid;
    pthread_t handle = 0;
    hal_irq_state s;

    if (pid == 0 || pid == (pid_t)mpj_thread_self()->id)
        return pthread_self();
    s = mpj_sched_lock();
    for (unsigned i = 0; i < MPJ_THREADS_MAX && handle == 0; i++) {
        const struct mpj_thread *t = mpj_thread_by_slot(i);

        if (t != NULL && t->state != MPJ_THREAD_DEAD && t->id == id)
            handle = pt_handle(t);
    }
    mpj_sched_unlock(s);
    return handle;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    return result(pthread_setaffinity_np(by_pid(pid), size, set));
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    return result(pthread_getaffinity_np(by_pid(pid), size, set));
}

int sched_getcpu(void)
{
    return (int)hal_cpu_id();
}

int sched_yield(void)
{
    mpj_rt_yield();
    return 0;
}

int pthread_yield(void)
{
    mpj_rt_yield();
    return 0;
}

/* ---- priorities: SCHED_OTHER has 0 only ------------------------------------------ */

static bool policy_ok(int policy)
{
    return policy == SCHED_OTHER || policy == SCHED_FIFO || policy == SCHED_RR;
}

int sched_get_priority_max(int policy)
{
    if (!policy_ok(policy))
        return result(EINVAL);
    return policy == SCHED_OTHER ? 0 : (int)MPJ_PRIORITY_MAX;
}

int sched_get_priority_min(int policy)
{
    if (!policy_ok(policy))
        return result(EINVAL);
    return policy == SCHED_OTHER ? 0 : 1;
}

int sched_rr_get_interval(pid_t pid, struct timespec *interval)
{
    uint64_t ns;

    if (pid < 0)
        return result(EINVAL);
    if (find(by_pid(pid)) == NULL)
        return result(ESRCH);
    ns = hal_sys_ns(mpj_sched_slice_ticks());
    *interval = (struct timespec){.tv_sec = (time_t)(ns / 1000000000U),
                                  .tv_nsec = (long)(ns % 1000000000U)};
    return 0;
}

/* Returns the thread's priority without the ceilings of its mutexes. */
static unsigned base_of(const struct mpj_thread *t)
{
    unsigned priority = t->run.priority;
    hal_irq_state s;

    if (pt_special_base_locked != NULL) {
        s = mpj_sched_lock();
        priority = pt_special_base_locked(t);
        mpj_sched_unlock(s);
    }
    return priority;
}

static unsigned with_ceilings(const struct mpj_thread *t, unsigned priority)
{
    hal_irq_state s;

    if (pt_special_rebase_locked != NULL) {
        s = mpj_sched_lock();
        priority = pt_special_rebase_locked(t, priority);
        mpj_sched_unlock(s);
    }
    return priority;
}

int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *param)
{
    const struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    *policy = t->policy;
    *param = (struct sched_param){.sched_priority = (int)base_of(t)};
    return 0;
}

int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *param)
{
    struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    if (!policy_ok(policy) || param->sched_priority < sched_get_priority_min(policy) ||
        param->sched_priority > sched_get_priority_max(policy))
        return EINVAL;
    t->policy = policy;
    mpj_thread_set(t, with_ceilings(t, (unsigned)param->sched_priority), t->run.affinity,
                   policy != SCHED_FIFO);
    return 0;
}

int pthread_setschedprio(pthread_t handle, int priority)
{
    const struct mpj_thread *t = find(handle);
    struct sched_param param = {.sched_priority = priority};

    return t == NULL ? ESRCH : pthread_setschedparam(handle, t->policy, &param);
}

int sched_getscheduler(pid_t pid)
{
    struct sched_param param;
    int policy;

    if (pid < 0)
        return result(EINVAL);
    return result(pthread_getschedparam(by_pid(pid), &policy, &param)) == 0 ? policy : -1;
}

int sched_getparam(pid_t pid, struct sched_param *param)
{
    int policy;

    return result(pid < 0 || param == NULL ? EINVAL
                                           : pthread_getschedparam(by_pid(pid), &policy, param));
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    return result(pid < 0 || param == NULL ? EINVAL
                                           : pthread_setschedparam(by_pid(pid), policy, param));
}

int sched_setparam(pid_t pid, const struct sched_param *param)
{
    const int policy = sched_getscheduler(pid);

    return policy < 0 ? -1 : sched_setscheduler(pid, policy, param);
}

static int concurrency; /* as set by the program; has no effect, since every core runs threads */

int pthread_setconcurrency(int level)
{
    if (level < 0)
        return EINVAL;
    concurrency = level;
    return 0;
}

int pthread_getconcurrency(void)
{
    return concurrency;
}

/* ---- nice values: stored for the program; the scheduler uses priorities alone ----- */

#define NICEST  19
#define KEENEST (-20)

static int niceness;

/* Returns 0 if the call concerns this program, else an errno number. The process group is the
 * process, the user is root. */
static int concerned(int which, id_t who)
{
    switch (which) {
    case PRIO_PROCESS:
        return find(by_pid((pid_t)who)) != NULL ? 0 : ESRCH;
    case PRIO_PGRP:
        return who == 0 || (pid_t)who == getpid() ? 0 : ESRCH;
    case PRIO_USER:
        return who == 0 ? 0 : ESRCH;
    default:
        return EINVAL;
    }
}

int getpriority(int which, id_t who)
{
    const int r = concerned(which, who);

    return r != 0 ? result(r) : niceness;
}

int setpriority(int which, id_t who, int value)
{
    const int r = concerned(which, who);

    if (r == 0)
        niceness = value > NICEST ? NICEST : value < KEENEST ? KEENEST : value;
    return result(r);
}

int nice(int by)
{
    const int far = NICEST - KEENEST; /* keeps the sum in its range */

    (void)setpriority(PRIO_PROCESS, 0, niceness + (by > far ? far : by < -far ? -far : by));
    return niceness;
}

/* ---- the rest -------------------------------------------------------------------- */

int pthread_setname_np(pthread_t handle, const char *name)
{
    struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    if (strlen(name) >= MPJ_THREAD_NAME)
        return ERANGE;
    strcpy(t->name, name);
    mpj_hooks.thread_name(&t->prof, name);
    return 0;
}

int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
    const struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    if (strlen(t->name) >= size)
        return ERANGE;
    strcpy(name, t->name);
    return 0;
}

int pthread_getattr_np(pthread_t handle, pthread_attr_t *attr)
{
    const struct mpj_thread *t = find(handle);

    if (t == NULL)
        return ESRCH;
    (void)pthread_attr_init(attr);
    attr->stackaddr = (void *)t->stack_low;
    attr->stacksize = (int)(t->stack_high - t->stack_low);
    attr->schedpolicy = t->policy;
    attr->schedparam.sched_priority = t->run.priority;
    attr->detachstate = t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE;
    pt_attr_set_affinity(attr, t->run.affinity);
    return 0;
}

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare;
    (void)parent;
    (void)child;
    return 0; /* fork() always fails */
}
