/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and what C11 added, and the GNU C library. */
#ifndef MPJ_TIME_H
#define MPJ_TIME_H

#include_next <time.h>

/* As on Linux, and as POSIX wants it; times() counts sysconf(_SC_CLK_TCK). */
#undef CLOCKS_PER_SEC
#define CLOCKS_PER_SEC ((clock_t)1000000)
#undef CLK_TCK
#define CLK_TCK 100

#if __MISC_VISIBLE || __XSI_VISIBLE || __GNU_VISIBLE
extern long timezone __asm__("_timezone");
extern int daylight __asm__("_daylight");
#endif

#if __XSI_VISIBLE || __GNU_VISIBLE
extern int getdate_err;
/* NULL and ENOSYS */
struct tm *getdate(const char *text);
#endif

#if __ISO_C_VISIBLE >= 2011
#define TIME_UTC 1
/* The time into *ts; returns base, or 0 for any other base than TIME_UTC. */
int timespec_get(struct timespec *ts, int base);
#endif

#if __MISC_VISIBLE || __GNU_VISIBLE
/* Seconds of a broken-down time in UTC, whose fields it brings into their ranges; -1 and EOVERFLOW:
 * of a year that is too large. */
time_t timegm(struct tm *t);
#endif

#endif
