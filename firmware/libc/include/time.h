/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_TIME_H
#define MPJ_LIBC_TIME_H

#include <bits/null.h>
#include <bits/size_t.h>
#include <features.h>

typedef long clock_t;
typedef long time_t;

#if defined(__USE_POSIX199309) || defined(__USE_ISOC11)
#include <bits/timespec.h>
#endif
#ifdef __USE_POSIX199309
#include <bits/itimerspec.h>
typedef int clockid_t;
typedef void *timer_t;
struct sigevent;
#endif
#ifdef __USE_XOPEN2K
typedef int pid_t;
#endif
#ifdef __USE_XOPEN2K8
#include <bits/locale_t.h>
#endif
#ifdef __USE_GNU
#include <bits/timeval.h>
#endif

struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
#ifdef __USE_MISC
    long tm_gmtoff; /* seconds east of UTC */
    const char *tm_zone;
#else
    long __tm_gmtoff;
    const char *__tm_zone;
#endif
};

#define CLOCKS_PER_SEC ((clock_t)1000000)
#if defined(__USE_POSIX) && !defined(__USE_XOPEN2K)
#define CLK_TCK ((clock_t)100)
#endif

#if defined(__USE_ISOC11)
#define TIME_UTC 1
#endif
#if defined(__USE_POSIX199309)
#define CLOCK_REALTIME           0
#define TIMER_ABSTIME            1
#define CLOCK_MONOTONIC          1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID  3
#define CLOCK_MONOTONIC_RAW      4
#define CLOCK_REALTIME_COARSE    5
#define CLOCK_MONOTONIC_COARSE   6
#define CLOCK_BOOTTIME           7
#define CLOCK_REALTIME_ALARM     8
#define CLOCK_BOOTTIME_ALARM     9
#define CLOCK_TAI                11
#endif

#if defined(__USE_POSIX)
extern char *tzname[2] __asm__("_tzname");
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
extern long timezone __asm__("_timezone");
extern int daylight __asm__("_daylight");
#endif

__MPJ_BEGIN

clock_t clock(void);
time_t time(time_t *);
double difftime(time_t, time_t);
time_t mktime(struct tm *);
size_t strftime(char *__restrict, size_t, const char *__restrict, const struct tm *__restrict)
    __attribute__((__format__(__strftime__, 3, 0)));
struct tm *gmtime(const time_t *);
struct tm *localtime(const time_t *);
char *asctime(const struct tm *);
char *ctime(const time_t *);
#if defined(__USE_ISOC11)
int timespec_get(struct timespec *, int);
#endif
#if defined(__USE_XOPEN2K8)
size_t strftime_l(char *__restrict, size_t, const char *__restrict, const struct tm *__restrict,
                  locale_t);
#endif
#if defined(__USE_POSIX)
struct tm *gmtime_r(const time_t *__restrict, struct tm *__restrict);
struct tm *localtime_r(const time_t *__restrict, struct tm *__restrict);
char *asctime_r(const struct tm *__restrict, char *__restrict);
char *ctime_r(const time_t *__restrict, char *__restrict);
void tzset(void);
#endif
#if defined(__USE_MISC)
time_t timegm(struct tm *);
#endif
#if defined(__USE_POSIX199309)
int nanosleep(const struct timespec *, struct timespec *);
int clock_getres(clockid_t, struct timespec *);
int clock_gettime(clockid_t, struct timespec *);
int clock_settime(clockid_t, const struct timespec *);
int timer_create(clockid_t, struct sigevent *__restrict, timer_t *__restrict);
int timer_delete(timer_t);
int timer_settime(timer_t, int, const struct itimerspec *__restrict, struct itimerspec *__restrict);
int timer_gettime(timer_t, struct itimerspec *);
int timer_getoverrun(timer_t);
#endif
#if defined(__USE_XOPEN2K)
int clock_nanosleep(clockid_t, int, const struct timespec *, struct timespec *);
int clock_getcpuclockid(pid_t, clockid_t *);
#endif
#if defined(__USE_XOPEN)
char *strptime(const char *__restrict, const char *__restrict, struct tm *);
#endif
#if defined(__USE_XOPEN_EXTENDED)
extern int getdate_err;
struct tm *getdate(const char *);
#endif
#if defined(__USE_GNU)
char *strptime_l(const char *__restrict, const char *__restrict, struct tm *, locale_t);
#endif

__MPJ_END

#endif
