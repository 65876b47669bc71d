/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time zones: TZ in POSIX's format, read as the GNU C library does when it has no file of that
 * name; tzset(), localtime_r(), gmtime_r(), mktime() and timegm(). newlib's functions do not
 * support names in angle brackets, do not return to UTC, and have another time_t and struct tm.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME_MAX_HERE 32U
#define TEXT_MAX      128U
#define MINUTE        60L
#define HOUR          3600L
#define DAY           86400L
/* Days from 1 March of year 0 to 1970, and of 400 years. */
#define EPOCH_DAY 719468
#define ERA_DAYS  146097
#define YEAR_BASE 1900

enum { STANDARD, SUMMER };

/* Defined in libc_lock.c. */
void __tz_lock(void);
void __tz_unlock(void);

/* The moment at which standard or summer time begins, in the time that ends there. */
struct rule {
    char type; /* 'J': day 1 to 365, no 29 February; '0': day 0 to 365; 'M': day of a week of a
                  month */
    int64_t month, week, day;
    long seconds; /* of that day */
};

/* The present zone; access with the lock held. */
static struct zone {
    char text[TEXT_MAX]; /* value of TZ when it was read; empty if too long: then it is read each
                            time */
    char name[2][NAME_MAX_HERE];
    long east[2];        /* seconds */
    struct rule rule[2]; /* the beginning of summer time, and its end */
} zone = {.name = {"UTC", "UTC"}, .rule = {{.type = '0'}, {.type = '0'}}};

char *tzname[2] = {zone.name[STANDARD], zone.name[SUMMER]};
long timezone;
int daylight;

/* ---- days ------------------------------------------------------------------------ */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Returns the days from 1970 to the first of a month; month: from 0, may exceed the year. */
static int64_t first_of(int64_t year, int64_t month)
{
    const int64_t march = year * 12 + month - 2; /* months, in years that begin in March */
    const int64_t y = floor_div(march, 12);

    return y * 365 + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400) +
           ((march - y * 12) * 153 + 2) / 5 - EPOCH_DAY;
}

static int64_t year_of(int64_t days)
{
    int64_t year = 1970 + floor_div(days * 400, ERA_DAYS);

    while (first_of(year, 0) > days)
        year--;
    while (first_of(year + 1, 0) <= days)
        year++;
    return year;
}

/* Converts a time to its fields; false: the year does not fit. */
static bool split(int64_t time, struct tm *tm)
{
    const int64_t days = floor_div(time, DAY);
    const long second = (long)(time - days * DAY);
    const int64_t year = year_of(days);
    int month = 11;

    if (year - YEAR_BASE < INT_MIN || year - YEAR_BASE > INT_MAX) {
        errno = EOVERFLOW;
        return false;
    }
    while (first_of(year, month) > days)
        month--;
    *tm = (struct tm){.tm_sec = (int)(second % MINUTE),
                      .tm_min = (int)(second / MINUTE % 60),
                      .tm_hour = (int)(second / HOUR),
                      .tm_mday = (int)(days - first_of(year, month)) + 1,
                      .tm_mon = month,
                      .tm_year = (int)(year - YEAR_BASE),
                      .tm_wday = (int)((days % 7 + 11) % 7), /* 1 January 1970 was a Thursday */
                      .tm_yday = (int)(days - first_of(year, 0)),
                      .tm_zone = "GMT"};
    return true;
}

/* Converts fields, each of any value, to seconds without a zone. */
static int64_t joined(const struct tm *tm)
{
    return (first_of((int64_t)tm->tm_year + YEAR_BASE, tm->tm_mon) + tm->tm_mday - 1) * DAY +
           (int64_t)tm->tm_hour * HOUR + (int64_t)tm->tm_min * MINUTE + tm->tm_sec;
}

/* ---- parsing of TZ --------------------------------------------------------------- */

static bool read_number(const char **at, int64_t *value)
{
    if (!isdigit((unsigned char)**at))
        return false;
    for (*value = 0; isdigit((unsigned char)**at); (*at)++)
        *value = *value < INT_MAX ? *value * 10 + (**at - '0') : *value;
    return true;
}

static bool read_name(const char **at, char name[NAME_MAX_HERE])
{
    const bool quoted = **at == '<';
    const char *const from = *at + quoted;
    const char *end = from;
    size_t n;

    while (quoted ? isalnum((unsigned char)*end) || *end == '+' || *end == '-'
                  : isalpha((unsigned char)*end))
        end++;
    n = (size_t)(end - from);
    if (n < 3 || (quoted && *end != '>'))
        return false;
    *at = end + quoted;
    n = n < NAME_MAX_HERE ? n : NAME_MAX_HERE - 1U;
    memcpy(name, from, n);
    name[n] = '\0';
    return true;
}

/* Reads [+-]hh[:mm[:ss]] in seconds, 0 for missing parts; false: there is not even hh. */
static bool read_time(const char **at, int64_t hours_most, long *seconds)
{
    const long unit[3] = {HOUR, MINUTE, 1};
    const bool negative = **at == '-';
    int64_t value;

    *seconds = 0;
    *at += negative || **at == '+';
    for (unsigned i = 0; i < 3; i++) {
        const char *from = *at + (i > 0);

        if ((i > 0 && **at != ':') || !read_number(&from, &value))
            return i > 0;
        *at = from;
        value = i == 0 ? (value < hours_most ? value : hours_most) : (value < 59 ? value : 59);
        *seconds += (negative ? -1 : 1) * (long)value * unit[i];
    }
    return true;
}

static bool read_rule(const char **at, struct rule *r, bool end)
{
    *at += **at == ',';
    if (**at == '\0') { /* default: the rules of the United States */
        *r = end ? (struct rule){'M', 11, 1, 0, 2 * HOUR} : (struct rule){'M', 3, 2, 0, 2 * HOUR};
        return true;
    }
    r->type = **at == 'J' || **at == 'M' ? *(*at)++ : '0';
    if (r->type == 'M') {
        if (!read_number(at, &r->month) || *(*at)++ != '.' || !read_number(at, &r->week) ||
            *(*at)++ != '.' || !read_number(at, &r->day) || r->month < 1 || r->month > 12 ||
            r->week < 1 || r->week > 5 || r->day > 6)
            return false;
    } else if (!read_number(at, &r->day) || r->day > 365 || (r->type == 'J' && r->day == 0)) {
        return false;
    }
    r->seconds = 2 * HOUR;
    if (**at != '/')
        return **at == '\0' || **at == ',';
    (*at)++;
    return read_time(at, 167, &r->seconds);
}

static void read_zone(const char *text)
{
    const struct rule none = {.type = '0'};
    long west;

    zone.east[STANDARD] = zone.east[SUMMER] = 0;
    zone.rule[0] = zone.rule[1] = none;
    zone.name[STANDARD][0] = '\0';
    if (text == NULL || *text == '\0')
        text = "UTC";
    text += *text == ':';
    (void)read_name(&text, zone.name[STANDARD]);
    strcpy(zone.name[SUMMER], zone.name[STANDARD]);
    if (zone.name[STANDARD][0] == '\0' || !read_time(&text, 24, &west))
        return;
    zone.east[STANDARD] = zone.east[SUMMER] = -west;
    if (*text == '\0' || !read_name(&text, zone.name[SUMMER]))
        return;
    zone.east[SUMMER] = read_time(&text, 24, &west) ? -west : zone.east[STANDARD] + HOUR;
    if (!read_rule(&text, &zone.rule[0], false) || !read_rule(&text, &zone.rule[1], true)) {
        zone.east[SUMMER] = zone.east[STANDARD]; /* no usable rules */
        zone.rule[0] = zone.rule[1] = none;
    }
}

/* Reads TZ and sets tzname, timezone and daylight. The lock is held. */
static void set_zone(void)
{
    const char *const text = getenv("TZ");
    const char *const now = text != NULL ? text : "";

    if (strcmp(now, zone.text) != 0) {
        read_zone(text);
        zone.text[0] = '\0';
        strncat(zone.text, now, TEXT_MAX - 1U);
    }
    for (unsigned i = STANDARD; i <= SUMMER; i++) {
        tzname[i] = zone.name[i];
    }
    timezone = -zone.east[STANDARD];
    daylight = zone.east[STANDARD] != zone.east[SUMMER];
}

void tzset(void)
{
    __tz_lock();
    set_zone();
    __tz_unlock();
}

/* ---- local times: the lock is held ----------------------------------------------- */

/* Returns the time at which the rule applies in a year; east: offset of the time that ends
 * there. */
static int64_t change(const struct rule *r, int64_t year, long east)
{
    int64_t day = first_of(year, 0) + r->day;

    if (r->type == 'J') {
        day -= r->day < 60 || !is_leap(year);
    } else if (r->type == 'M') {
        const int64_t first = first_of(year, r->month - 1);
        const int64_t weekday = ((first + 4) % 7 + 7) % 7;

        day = first + (r->day - weekday + 7) % 7 + (r->week - 1) * 7;
        day -= day >= first_of(year, r->month) ? 7 : 0;
    }
    return day * DAY + r->seconds - east;
}

static int kind_at(int64_t time)
{
    const int64_t its = year_of(floor_div(time, DAY));
    const int64_t year = its < 1970 ? 1970 : its; /* as in the GNU C library: rules begin in 1970 */
    const int64_t begin = change(&zone.rule[0], year, zone.east[STANDARD]);
    const int64_t end = change(&zone.rule[1], year, zone.east[SUMMER]);

    if (begin > end) /* southern hemisphere */
        return time < end || time >= begin ? SUMMER : STANDARD;
    return time >= begin && time < end ? SUMMER : STANDARD;
}

static bool local(int64_t time, struct tm *tm)
{
    const int kind = kind_at(time);

    if (!split(time + zone.east[kind], tm))
        return false;
    tm->tm_isdst = kind;
    tm->tm_gmtoff = zone.east[kind];
    tm->tm_zone = zone.name[kind];
    return true;
}

struct tm *localtime_r(const time_t *restrict time, struct tm *restrict tm)
{
    bool is;

    __tz_lock();
    set_zone();
    is = local(*time, tm);
    __tz_unlock();
    return is ? tm : NULL;
}

struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict tm)
{
    return split(*time, tm) ? tm : NULL;
}

/* Converts to time_t; -1 if it does not fit. */
static time_t narrow(int64_t time)
{
    if ((time_t)time == time)
        return (time_t)time;
    errno = EOVERFLOW;
    return -1;
}

time_t mktime(struct tm *tm)
{
    const int64_t plain = joined(tm);
    struct tm found;
    int64_t time;
    int kind = tm->tm_isdst > 0;

    __tz_lock();
    set_zone();
    /* An ambiguous time is the first of the two; a skipped one is later by the hour. */
    if (tm->tm_isdst < 0)
        kind = kind_at(plain - zone.east[SUMMER]) == SUMMER;
    time = plain - zone.east[kind];
    if ((time_t)time == time && local(time, &found))
        *tm = found;
    __tz_unlock();
    return narrow(time);
}

time_t timegm(struct tm *tm)
{
    const int64_t time = joined(tm);

    return (time_t)time == time && split(time, tm) ? (time_t)time : narrow(time);
}
