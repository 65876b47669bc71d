/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C11 threads: POSIX threads with other names and results. */
#include <threads.h>

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int result_of(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
    case EAGAIN:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

struct start {
    thrd_start_t function;
    void *arg;
};

static void *run(void *arg)
{
    const struct start s = *(struct start *)arg;

    free(arg);
    return (void *)(intptr_t)s.function(s.arg);
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
    struct start *const s = malloc(sizeof(*s));
    int error;

    if (s == NULL)
        return thrd_nomem;
    *s = (struct start){start, arg};
    error = pthread_create(thread, NULL, run, s);
    if (error != 0)
        free(s);
    return result_of(error);
}

_Noreturn void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}

int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    const int error = pthread_join(thread, &value);

    if (error == 0 && result != NULL)
        *result = (int)(intptr_t)value;
    return result_of(error);
}

int thrd_sleep(const struct timespec *duration, struct timespec *remaining)
{
    if (nanosleep(duration, remaining) == 0)
        return 0;
    return errno == EINTR ? -1 : -2;
}

void thrd_yield(void)
{
    sched_yield();
}

int thrd_detach(thrd_t thread)
{
    return result_of(pthread_detach(thread));
}

thrd_t thrd_current(void)
{
    return pthread_self();
}

int thrd_equal(thrd_t a, thrd_t b)
{
    return pthread_equal(a, b);
}

int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attr;
    int error = pthread_mutexattr_init(&attr);

    if (error == 0 && (type & mtx_recursive) != 0)
        error = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    if (error == 0)
        error = pthread_mutex_init(mutex, &attr);
    return result_of(error);
}

void mtx_destroy(mtx_t *mutex)
{
    (void)pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex)
{
    return result_of(pthread_mutex_lock(mutex));
}

int mtx_trylock(mtx_t *mutex)
{
    return result_of(pthread_mutex_trylock(mutex));
}

int mtx_timedlock(mtx_t *mutex, const struct timespec *deadline)
{
    return result_of(pthread_mutex_timedlock(mutex, deadline));
}

int mtx_unlock(mtx_t *mutex)
{
    return result_of(pthread_mutex_unlock(mutex));
}

int cnd_init(cnd_t *cond)
{
    return result_of(pthread_cond_init(cond, NULL));
}

void cnd_destroy(cnd_t *cond)
{
    (void)pthread_cond_destroy(cond);
}

int cnd_signal(cnd_t *cond)
{
    return result_of(pthread_cond_signal(cond));
}

int cnd_broadcast(cnd_t *cond)
{
    return result_of(pthread_cond_broadcast(cond));
}

int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return result_of(pthread_cond_wait(cond, mutex));
}

int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *deadline)
{
    return result_of(pthread_cond_timedwait(cond, mutex, deadline));
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return result_of(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key)
{
    (void)pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
    return result_of(pthread_setspecific(key, value));
}

void call_once(once_flag *flag, void (*function)(void))
{
    (void)pthread_once(&flag->__once, function);
}
