/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_TIME_H
#define MPJ_LIBC_SYS_TIME_H

#include <bits/timeval.h>
#include <features.h>
#include <sys/select.h>

typedef long time_t;
typedef long suseconds_t;

#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2

struct itimerval {
    struct timeval it_interval;
    struct timeval it_value;
};

#ifdef __USE_MISC
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};

#define timerisset(t) ((t)->tv_sec != 0 || (t)->tv_usec != 0)
#define timerclear(t) ((void)((t)->tv_sec = (t)->tv_usec = 0))
#define timercmp(a, b, op)                                                                         \
    ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op(b)->tv_usec : (a)->tv_sec op(b)->tv_sec)
#define timeradd(a, b, sum)                                                                        \
    do {                                                                                           \
        (sum)->tv_sec = (a)->tv_sec + (b)->tv_sec;                                                 \
        (sum)->tv_usec = (a)->tv_usec + (b)->tv_usec;                                              \
        if ((sum)->tv_usec >= 1000000) {                                                           \
            (sum)->tv_sec++;                                                                       \
            (sum)->tv_usec -= 1000000;                                                             \
        }                                                                                          \
    } while (0)
#define timersub(a, b, difference)                                                                 \
    do {                                                                                           \
        (difference)->tv_sec = (a)->tv_sec - (b)->tv_sec;                                          \
        (difference)->tv_usec = (a)->tv_usec - (b)->tv_usec;                                       \
        if ((difference)->tv_usec < 0) {                                                           \
            (difference)->tv_sec--;                                                                \
            (difference)->tv_usec += 1000000;                                                      \
        }                                                                                          \
    } while (0)
#endif
#ifdef __USE_GNU
#define TIMEVAL_TO_TIMESPEC(tv, ts)                                                                \
    ((void)((ts)->tv_sec = (tv)->tv_sec, (ts)->tv_nsec = (tv)->tv_usec * 1000))
#define TIMESPEC_TO_TIMEVAL(tv, ts)                                                                \
    ((void)((tv)->tv_sec = (ts)->tv_sec, (tv)->tv_usec = (ts)->tv_nsec / 1000))
#endif

__MPJ_BEGIN

int gettimeofday(struct timeval *__restrict, void *__restrict);
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *__restrict, struct itimerval *__restrict);
int utimes(const char *, const struct timeval[2]);
#if defined(__USE_MISC)
int settimeofday(const struct timeval *, const struct timezone *);
int adjtime(const struct timeval *, struct timeval *);
int lutimes(const char *, const struct timeval[2]);
int futimes(int, const struct timeval[2]);
#endif
#if defined(__USE_GNU)
int futimesat(int, const char *, const struct timeval[2]);
#endif

__MPJ_END

#endif
