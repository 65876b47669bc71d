/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C11 threads, on top of POSIX threads: ISO/IEC 9899:2011, 7.26. */
#ifndef MPJ_LIBC_THREADS_H
#define MPJ_LIBC_THREADS_H

#include <features.h>
#include <time.h>

#ifndef __cplusplus
#define thread_local _Thread_local
#endif
#define ONCE_FLAG_INIT                                                                             \
    {                                                                                              \
        0                                                                                          \
    }
#define TSS_DTOR_ITERATIONS 4

typedef unsigned long thrd_t;
typedef unsigned int mtx_t;
typedef unsigned int cnd_t;
typedef unsigned int tss_t;
typedef struct {
    int __once;
} once_flag;
typedef int (*thrd_start_t)(void *);
typedef void (*tss_dtor_t)(void *);

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };

__MPJ_BEGIN

int thrd_create(thrd_t *, thrd_start_t, void *);
int thrd_equal(thrd_t, thrd_t);
thrd_t thrd_current(void);
int thrd_sleep(const struct timespec *, struct timespec *);
void thrd_exit(int) __attribute__((__noreturn__));
int thrd_detach(thrd_t);
int thrd_join(thrd_t, int *);
void thrd_yield(void);
int mtx_init(mtx_t *, int);
int mtx_lock(mtx_t *);
int mtx_timedlock(mtx_t *__restrict, const struct timespec *__restrict);
int mtx_trylock(mtx_t *);
int mtx_unlock(mtx_t *);
void mtx_destroy(mtx_t *);
void call_once(once_flag *, void (*)(void));
int cnd_init(cnd_t *);
int cnd_signal(cnd_t *);
int cnd_broadcast(cnd_t *);
int cnd_wait(cnd_t *, mtx_t *);
int cnd_timedwait(cnd_t *__restrict, mtx_t *__restrict, const struct timespec *__restrict);
void cnd_destroy(cnd_t *);
int tss_create(tss_t *, tss_dtor_t);
void *tss_get(tss_t);
int tss_set(tss_t, void *);
void tss_delete(tss_t);

__MPJ_END

#endif
