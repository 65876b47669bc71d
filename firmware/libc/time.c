/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of <time.h> other than clocks and zones. newlib's have a time_t of 64 bits and a struct
 * tm without tm_gmtoff and tm_zone.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#define TEXT_BYTES 26 /* of asctime_r(), as POSIX requires */

static __thread struct tm fields; /* result of gmtime() and localtime() */
static __thread char line[64];    /* result of asctime(): fits any year */

time_t time(time_t *t)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (t != NULL)
        *t = now.tv_sec;
    return now.tv_sec;
}

double difftime(time_t end, time_t begin)
{
    return (double)end - (double)begin;
}

struct tm *gmtime(const time_t *t)
{
    return gmtime_r(t, &fields);
}

struct tm *localtime(const time_t *t)
{
    return localtime_r(t, &fields);
}

static const char *name_of(const char *names, int i, int count)
{
    return i >= 0 && i < count ? names + 3 * i : "???";
}

static char *put(const struct tm *tm, char *text, size_t size)
{
    const int n =
        snprintf(text, size, "%.3s %.3s%3d %.2d:%.2d:%.2d %lld\n",
                 name_of("SunMonTueWedThuFriSat", tm->tm_wday, 7),
                 name_of("JanFebMarAprMayJunJulAugSepOctNovDec", tm->tm_mon, 12), tm->tm_mday,
                 tm->tm_hour, tm->tm_min, tm->tm_sec, (long long)tm->tm_year + 1900);

    if (n < 0 || (size_t)n >= size) {
        errno = EOVERFLOW;
        return NULL;
    }
    return text;
}

char *asctime_r(const struct tm *restrict tm, char *restrict text)
{
    return put(tm, text, TEXT_BYTES);
}

char *asctime(const struct tm *tm)
{
    return put(tm, line, sizeof(line));
}

char *ctime(const time_t *t)
{
    const struct tm *const tm = localtime(t);

    return tm != NULL ? asctime(tm) : NULL;
}

char *ctime_r(const time_t *restrict t, char *restrict text)
{
    struct tm tm;

    return localtime_r(t, &tm) != NULL ? asctime_r(&tm, text) : NULL;
}
