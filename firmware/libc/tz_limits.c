/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When summer time begins and ends in a year. newlib works with 32 bits, which end in January 2038:
 * it is asked for an earlier year of the same days, whose result is moved. It refuses years before
 * 1970, and mktime() then forgets the zone: there was no summer time, as the GNU C library says.
 */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

int __real___tzcalc_limits(int year);
int __wrap___tzcalc_limits(int year);

#define FIRST_YEAR 1970
#define LAST_YEAR  2036 /* that newlib can tell of */
#define DAY_S      86400
#define NEVER      ((time_t)1 << 50)

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from a fixed one to the first of January. */
static int64_t day_of(int year)
{
    const int64_t past = year - 1;

    return past * 365 + past / 4 - past / 100 + past / 400;
}

int __wrap___tzcalc_limits(int year)
{
    __tzinfo_type *const tz = __gettzinfo();
    int like = FIRST_YEAR;
    int64_t days;

    if (year >= FIRST_YEAR && year <= LAST_YEAR)
        return __real___tzcalc_limits(year);
    if (year < FIRST_YEAR) {
        tz->__tznorth = 1;
        tz->__tzrule[0].change = tz->__tzrule[1].change = NEVER;
    } else {
        while (is_leap(like) != is_leap(year) || (day_of(year) - day_of(like)) % 7 != 0)
            like++; /* at most 28 years */
        days = day_of(year) - day_of(like);
        if (__real___tzcalc_limits(like) == 0)
            return 0;
        tz->__tzrule[0].change += days * DAY_S;
        tz->__tzrule[1].change += days * DAY_S;
    }
    tz->__tzyear = year;
    return 1;
}
