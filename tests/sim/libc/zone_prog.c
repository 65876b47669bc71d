/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time zones by POSIX's words, back and forth; the same on Linux and on the target. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const time_t times[] = {0,           1,           951782400,  951868799,  1332637199,
                               1332637200,  1351385999,  1351386000, 1351389600, 2147483647,
                               2102444800,  -1,          -86401,     -15638401,  -15638400,
                               -2147483647, -1000000000, 2033707648};
static const char *const zones[] = {"UTC0",
                                    "CET-1CEST,M3.5.0,M10.5.0/3",
                                    "EST5EDT,M3.2.0,M11.1.0",
                                    "<+0330>-3:30",
                                    "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
                                    "NZST-12NZDT,M9.5.0,M4.1.0/3",
                                    "XXX3YYY,J60/2,J300/2",
                                    "AAA-3BBB,59,299",
                                    "IST-1GMT0,M10.5.0,M3.5.0/1",
                                    "ABC+1:02:03",
                                    "XXX3YYY4:30,M1.1.1/167:59:59,J365/0"};

static void show(time_t t)
{
    struct tm tm = {0};
    char text[100];
    struct tm again;

    if (localtime_r(&t, &tm) == NULL) {
        puts("none");
        return;
    }
    strftime(text, sizeof(text), "%a %F %T %j %z %Z", &tm);
    again = tm;
    printf("%lld: %s %d, back %d, %s", (long long)t, text, tm.tm_isdst, mktime(&again) == t,
           ctime(&t));
}

static void made(int year, int month, int day, int hour, int minute, int isdst)
{
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_isdst = isdst};
    const time_t t = mktime(&tm);

    printf("%lld %d %d %d %s", (long long)t, tm.tm_isdst, tm.tm_wday, tm.tm_yday, asctime(&tm));
}

static void fields(void)
{
    struct tm tm = {
        .tm_year = 112, .tm_mon = 13, .tm_mday = -5, .tm_hour = 27, .tm_min = -90, .tm_isdst = 1};

    printf("%lld", (long long)timegm(&tm));
    printf(" %d %d %d %s", tm.tm_isdst, tm.tm_wday, tm.tm_yday, asctime(&tm));
    tm = (struct tm){.tm_year = 5, .tm_mday = 1};
    printf("%lld", (long long)timegm(&tm));
    printf(" %d\n", tm.tm_wday);
    made(2012, 14, -5, 27, -90, -1);
    made(2012, 3, 25, 2, 30, -1); /* left out */
    made(2012, 3, 25, 2, 30, 0);
    made(2012, 3, 25, 2, 30, 1);
    made(2012, 10, 28, 2, 30, 1); /* there twice */
    made(2012, 10, 28, 2, 30, 0);
    made(2012, 1, 28, 2, 30, 1); /* said of a winter's day */
    made(2012, 7, 28, 2, 30, 0);
    made(1960, 7, 28, 2, 30, -1);
    made(2037, 7, 28, 2, 30, -1);
}

/* Away from a zone, and back to another one. NULL: none; none and "" are UTC here, and elsewhere
 * the machine's own zone and what tzdata calls Universal, if that is installed. */
static void back(const char *zone)
{
    setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
    tzset();
    show(1309500000);
#ifndef __MPJOULE__
    if (zone == NULL || zone[0] == '\0')
        zone = "UTC0";
#endif
    if (zone != NULL)
        setenv("TZ", zone, 1);
    else
        unsetenv("TZ");
    tzset();
    show(1309500000);
    printf("%s %ld %d\n", tzname[0], timezone, daylight);
}

int main(void)
{
    for (size_t z = 0; z < sizeof(zones) / sizeof(zones[0]); z++) {
        setenv("TZ", zones[z], 1);
        tzset();
        printf("%s: %s %s %ld %d\n", zones[z], tzname[0], tzname[1], timezone, daylight);
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
            show(times[i]);
    }
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    fields();
    back("");
    back("UTC");
    back(":UTC");
    back("Unknown");
    back("Nowhere/Else");
    back(NULL);
    return 0;
}
