/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling calls with every name a thread has, and arguments that are none: what the calls
 * answer, the same on Linux and on the target.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 0x3ffffff

static sem_t up, down;
static pid_t child;

static const char *name_of(int error)
{
    return error == EINVAL ? "EINVAL" : error == ESRCH ? "ESRCH" : "another error";
}

#define SAY(call)                                                                                  \
    do {                                                                                           \
        errno = 0;                                                                                 \
        const long say_r = (long)(call);                                                           \
        printf("%s: %ld %s\n", #call, say_r, say_r == -1 ? name_of(errno) : "");                   \
    } while (0)

static void *stay(void *arg)
{
    child = gettid();
    sem_post(&up);
    sem_wait(&down);
    return arg;
}

static void ask(const char *who, pid_t pid)
{
    struct sched_param param = {.sched_priority = 77};
    struct timespec slice;
    cpu_set_t set;

    printf("%s\n", who);
    SAY(sched_getaffinity(pid, sizeof(set), &set) >= 0);
    SAY(sched_setaffinity(pid, sizeof(set), &set));
    SAY(sched_getscheduler(pid));
    SAY(sched_getparam(pid, &param));
    printf("priority %d\n", param.sched_priority);
    SAY(sched_setscheduler(pid, SCHED_OTHER, &param));
    SAY(sched_setparam(pid, &param));
    SAY(sched_rr_get_interval(pid, &slice));
}

static void one_core(pid_t pid)
{
    cpu_set_t all, one, now;
    int core = 0;

    sched_getaffinity(pid, sizeof(all), &all);
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    SAY(sched_setaffinity(pid, sizeof(one), &one));
    sched_getaffinity(pid, sizeof(now), &now);
    printf("one core: %d\n", CPU_EQUAL(&one, &now));
    SAY(sched_setaffinity(pid, sizeof(all), &all));
}

static void wrong(void)
{
    struct sched_param param = {.sched_priority = 3};
    struct timespec slice;
    cpu_set_t none;

    CPU_ZERO(&none);
    SAY(sched_get_priority_max(99));
    SAY(sched_get_priority_min(-1));
    SAY(sched_get_priority_max(SCHED_OTHER));
    SAY(sched_setscheduler(0, 99, &param));
    SAY(sched_setscheduler(0, SCHED_OTHER, &param));
    SAY(sched_setscheduler(-1, SCHED_OTHER, &param));
    SAY(sched_setscheduler(0, SCHED_OTHER, NULL));
    SAY(sched_getscheduler(-1));
    SAY(sched_getparam(0, NULL));
    SAY(sched_getparam(-1, &param));
    SAY(sched_rr_get_interval(-1, &slice));
    SAY(sched_setaffinity(0, sizeof(none), &none));
    SAY(sched_setaffinity(-1, sizeof(none), &none));
    SAY(sched_getscheduler(NOBODY));
    SAY(sched_getparam(NOBODY, &param));
    SAY(sched_rr_get_interval(NOBODY, &slice) == -1 && errno == ESRCH);
    SAY(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param) == EINVAL);
    SAY(pthread_setschedparam(pthread_self(), 99, &param) == EINVAL);
    SAY(pthread_kill(pthread_self(), 1000) == EINVAL);
    SAY(pthread_kill(pthread_self(), -1) == EINVAL);
    SAY(kill(getpid(), 1000));
    SAY(raise(-1));
    SAY(sigaction(SIGKILL, &(struct sigaction){.sa_handler = SIG_IGN}, NULL));
}

/* The attributes of what may be shared between processes, and what is only remembered. */
static void remembered(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t cond;
    pthread_rwlockattr_t rwlock;
    pthread_barrierattr_t barrier;

    pthread_mutexattr_init(&mutex);
    pthread_condattr_init(&cond);
    pthread_rwlockattr_init(&rwlock);
    pthread_barrierattr_init(&barrier);
    SAY(pthread_mutexattr_setpshared(&mutex, 9) == EINVAL);
    SAY(pthread_condattr_setpshared(&cond, 9) == EINVAL);
    SAY(pthread_rwlockattr_setpshared(&rwlock, -1) == EINVAL);
    SAY(pthread_barrierattr_setpshared(&barrier, 9) == EINVAL);
    SAY(pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED));
    SAY(setpriority(PRIO_PROCESS, 0, 15));
    SAY(getpriority(PRIO_PROCESS, getpid()));
    SAY(nice(2));
    SAY(getpriority(PRIO_PROCESS, gettid()));
    SAY(setpriority(PRIO_PROCESS, 0, 1000));
    SAY(getpriority(PRIO_PROCESS, 0));
    SAY(nice(1000));
    SAY(getpriority(PRIO_PROCESS, NOBODY));
    SAY(setpriority(PRIO_PROCESS, NOBODY, 5));
    SAY(getpriority(77, 0));
    SAY(pthread_setconcurrency(-1) == EINVAL);
    SAY(pthread_setconcurrency(3));
    SAY(pthread_getconcurrency());
    SAY(times(NULL) != (clock_t)-1);
    SAY(gettimeofday(NULL, NULL));
}

/* A wait for signals refuses times that are none. */
static void wrong_times(void)
{
    static const struct timespec wrong[] = {{-1, 0}, {0, -1}, {0, 1000000000}};
    struct timespec zero = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (int i = 0; i < 3; i++)
        SAY(sigtimedwait(&set, NULL, &wrong[i]));
    SAY(sigtimedwait(&set, NULL, &zero) == -1 && errno == EAGAIN);
}

/* Blocks all: but for those that cannot be. */
static void blocked(void)
{
    sigset_t all, now;

    sigfillset(&all);
    SAY(pthread_sigmask(SIG_SETMASK, &all, NULL));
    pthread_sigmask(SIG_BLOCK, &all, &now);
    printf("blocked: TERM %d KILL %d STOP %d\n", sigismember(&now, SIGTERM),
           sigismember(&now, SIGKILL), sigismember(&now, SIGSTOP));
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    printf("blocked: TERM %d KILL %d STOP %d\n", sigismember(&now, SIGTERM),
           sigismember(&now, SIGKILL), sigismember(&now, SIGSTOP));
    SAY(pthread_sigmask(SIG_UNBLOCK, &all, NULL));
    SAY(pthread_sigmask(99, &all, NULL) == EINVAL);
}

int main(void)
{
    pthread_t t;

    sem_init(&up, 0, 0);
    sem_init(&down, 0, 0);
    pthread_create(&t, NULL, stay, NULL);
    sem_wait(&up);
    ask("0", 0);
    ask("getpid()", getpid());
    ask("gettid()", gettid());
    ask("another thread", child);
    one_core(getpid());
    one_core(child);
    wrong();
    remembered();
    wrong_times();
    blocked();
    sem_post(&down);
    pthread_join(t, NULL);
    return 0;
}
