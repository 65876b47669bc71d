/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strptime() of the C locale as in the GNU C library: newlib's accepts numbers out of range. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NAMED(list) (sizeof(list) / sizeof((list)[0]))

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

static const struct number {
    char conv;
    uint8_t digits;
    uint16_t from, to;
} numbers[] = {{'C', 2, 0, 99}, {'d', 2, 1, 31}, {'e', 2, 1, 31},  {'H', 2, 0, 23},
               {'k', 2, 0, 23}, {'I', 2, 1, 12}, {'l', 2, 1, 12},  {'j', 3, 1, 366},
               {'m', 2, 1, 12}, {'M', 2, 0, 59}, {'S', 2, 0, 61},  {'u', 1, 1, 7},
               {'w', 1, 0, 6},  {'g', 2, 0, 99}, {'U', 2, 0, 53},  {'W', 2, 0, 53},
               {'V', 2, 0, 53}, {'y', 2, 0, 99}, {'Y', 4, 0, 9999}};

/* Conversions that combine several others. */
static const struct whole {
    char conv;
    const char *format;
} wholes[] = {
    {'c', "%a %b %e %H:%M:%S %Y"}, {'D', "%m/%d/%y"}, {'x', "%m/%d/%y"}, {'F', "%Y-%m-%d"},
    {'r', "%I:%M:%S %p"},          {'R', "%H:%M"},    {'T', "%H:%M:%S"}, {'X', "%H:%M:%S"}};

struct scan {
    const char *at;
    struct tm *tm;
    int century, week; /* -1: none */
    bool monday;       /* weeks begin on it */
    bool twelve, pm, two_digits;
    bool wday, yday, mon, mday; /* fields that are known */
    bool date;                  /* any part of the date is known */
};

static void spaces(struct scan *s)
{
    while (isspace((unsigned char)*s->at))
        s->at++;
}

/* Reads a number. As in the GNU C library, it ends before a digit that would exceed the range. */
static int number(struct scan *s, const struct number *n)
{
    unsigned left = n->digits;
    int value = 0;

    while (*s->at == ' ')
        s->at++;
    if (!isdigit((unsigned char)*s->at))
        return -1;
    do
        value = value * 10 + (*s->at++ - '0');
    while (--left > 0 && value * 10 <= n->to && isdigit((unsigned char)*s->at));
    return value < n->from || value > n->to ? -1 : value;
}

static void store(struct scan *s, char conv, int value)
{
    struct tm *const tm = s->tm;

    s->date |= strchr("CdemyY", conv) != NULL;
    switch (conv) {
    case 'C':
        s->century = value;
        break;
    case 'd':
    case 'e':
        tm->tm_mday = value;
        s->mday = true;
        break;
    case 'H':
    case 'k':
        tm->tm_hour = value;
        s->twelve = false;
        break;
    case 'I':
    case 'l':
        tm->tm_hour = value % 12;
        s->twelve = true;
        break;
    case 'j':
        tm->tm_yday = value - 1;
        s->yday = true;
        break;
    case 'm':
        tm->tm_mon = value - 1;
        s->mon = true;
        break;
    case 'M':
        tm->tm_min = value;
        break;
    case 'S':
        tm->tm_sec = value;
        break;
    case 'u':
    case 'w':
        tm->tm_wday = value % 7;
        s->wday = true;
        break;
    case 'U':
    case 'W':
        s->week = value;
        s->monday = conv == 'W';
        break;
    case 'y':
        tm->tm_year = value >= 69 ? value : value + 100;
        s->two_digits = true;
        break;
    case 'Y':
        tm->tm_year = value - 1900;
        s->two_digits = false;
        s->century = -1;
        break;
    default: /* of ISO weeks: parsed and ignored */
        break;
    }
}

/* Reads one of the names, in full or its first three letters; -1: none. */
static int name(struct scan *s, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const size_t all = strlen(names[i]);
        const size_t length = strncasecmp(s->at, names[i], all) == 0 ? all
                              : strncasecmp(s->at, names[i], 3) == 0 ? 3
                                                                     : 0;
        if (length != 0) {
            s->at += length;
            return (int)i;
        }
    }
    return -1;
}

/* Reads +hh, +hhmm, +hh:mm or Z and ignores it: newlib's struct tm has no field for it. */
static bool offset(struct scan *s)
{
    unsigned digits = 0;

    spaces(s);
    if (*s->at == 'Z') {
        s->at++;
        return true;
    }
    if (*s->at != '+' && *s->at != '-')
        return false;
    for (s->at++; digits < 4 && isdigit((unsigned char)*s->at); digits++) {
        s->at++;
        if (digits == 1 && *s->at == ':')
            s->at++;
    }
    return digits == 2 || digits == 4;
}

static bool seconds(struct scan *s)
{
    time_t t = 0;

    if (!isdigit((unsigned char)*s->at))
        return false;
    while (isdigit((unsigned char)*s->at))
        t = t * 10 + (*s->at++ - '0');
    return localtime_r(&t, s->tm) != NULL;
}

static bool texts(struct scan *s, char conv)
{
    int i;

    switch (conv) {
    case 'a':
    case 'A':
        i = name(s, days, NAMED(days));
        s->tm->tm_wday = i;
        s->wday = true;
        return i >= 0;
    case 'b':
    case 'B':
    case 'h':
        i = name(s, months, NAMED(months));
        s->tm->tm_mon = i;
        s->mon = s->date = true;
        return i >= 0;
    case 'p':
        s->pm = strncasecmp(s->at, "PM", 2) == 0;
        if (!s->pm && strncasecmp(s->at, "AM", 2) != 0)
            return false;
        s->at += 2;
        return true;
    case 'n':
    case 't':
        spaces(s);
        return true;
    case 's':
        return seconds(s);
    case 'z':
        return offset(s);
    case 'Z': /* any word */
        spaces(s);
        while (*s->at != '\0' && !isspace((unsigned char)*s->at))
            s->at++;
        return true;
    case 'G':
        i = isdigit((unsigned char)*s->at);
        while (isdigit((unsigned char)*s->at))
            s->at++;
        return i != 0;
    default:
        return conv == '%' && *s->at++ == '%';
    }
}

static bool conversion(struct scan *s, char conv)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i].conv == conv) {
            const int value = number(s, &numbers[i]);

            if (value >= 0)
                store(s, conv, value);
            return value >= 0;
        }
    }
    return texts(s, conv);
}

/* Returns the days of the year before the month. */
static int before(const struct tm *tm, int month)
{
    static const uint16_t sums[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    const int year = tm->tm_year + 1900;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return sums[month] + (leap && month > 1 ? 1 : 0);
}

/* Returns the weekday of a day of the year; Sunday is 0. */
static int weekday(const struct tm *tm, int yday)
{
    const int past = tm->tm_year + 1900 - 1;

    return ((past * 365 + past / 4 - past / 100 + past / 400 + yday + 1) % 7 + 7) % 7;
}

static void month_of_day(struct scan *s)
{
    struct tm *const tm = s->tm;
    int month = 1;

    while (month < 12 && before(tm, month) <= tm->tm_yday)
        month++;
    if (!s->mon)
        tm->tm_mon = month - 1;
    if (!s->mday)
        tm->tm_mday = tm->tm_yday - before(tm, month - 1) + 1;
    s->mon = s->mday = true;
}

/* Computes the fields that follow from those that were given. */
static void complete(struct scan *s)
{
    struct tm *const tm = s->tm;

    if (s->twelve && s->pm)
        tm->tm_hour += 12;
    if (s->century >= 0)
        tm->tm_year = (s->two_digits ? tm->tm_year % 100 : 0) + (s->century - 19) * 100;
    if (s->date && !s->wday && s->yday && !(s->mon && s->mday))
        month_of_day(s);
    if (s->date && (unsigned)tm->tm_mon < 12U) {
        const int yday = before(tm, tm->tm_mon) + tm->tm_mday - 1;

        if (!s->wday)
            tm->tm_wday = weekday(tm, yday);
        if (!s->yday)
            tm->tm_yday = yday;
    }
    if (s->week >= 0 && s->wday) {
        const int first = (weekday(tm, 0) + (s->monday ? 6 : 0)) % 7; /* of 1 January */
        const int day = (tm->tm_wday + (s->monday ? 6 : 0)) % 7;

        if (!s->yday)
            tm->tm_yday = (7 - first) % 7 + (s->week - 1) * 7 + day;
        if (!s->mday || !s->mon)
            month_of_day(s);
    }
}

static const char *whole(char conv)
{
    for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
        if (wholes[i].conv == conv)
            return wholes[i].format;
    }
    return NULL;
}

char *strptime(const char *text, const char *format, struct tm *tm)
{
    struct scan s = {.at = text, .tm = tm, .century = -1, .week = -1};
    const char *back = NULL; /* position after the conversion whose format is being read */

    for (;;) {
        const char *inner;

        if (*format == '\0') {
            if (back == NULL)
                break;
            format = back;
            back = NULL;
        } else if (isspace((unsigned char)*format)) {
            spaces(&s);
            format++;
        } else if (*format != '%') {
            if (*format++ != *s.at++)
                return NULL;
        } else {
            format += 1 + strspn(format + 1, "-_0^#");
            format += *format == 'E' || *format == 'O';
            inner = whole(*format);
            if (inner != NULL) {
                back = format + 1;
                format = inner;
            } else if (*format == '\0' || !conversion(&s, *format++)) {
                return NULL;
            }
        }
    }
    complete(&s);
    return (char *)s.at;
}

char *strptime_l(const char *text, const char *format, struct tm *tm, locale_t locale)
{
    (void)locale;
    return strptime(text, format, tm);
}
