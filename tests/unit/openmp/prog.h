/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the OpenMP test programs share: checks, output, disturbance. */
#ifndef PROG_H
#define PROG_H

#include <omp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OMP(...)      OMP_TEXT(__VA_ARGS__)
#define OMP_TEXT(...) _Pragma(#__VA_ARGS__)

static int failures;
static int quiet; /* later rounds: checks only */

static inline void fail_at(const char *what, int line)
{
    if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 20)
        fprintf(stderr, "line %d: failed: %s\n", line, what);
}
#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            fail_at(#cond, __LINE__);                                                              \
    } while (0)
#define fail(what) fail_at(what, __LINE__)

__attribute__((format(printf, 1, 2))) static inline void show(const char *format, ...)
{
    va_list args;
    if (quiet)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

static inline void yield_now(void)
{
    sched_yield();
}

/* Work of uneven length, sometimes giving up the core. */
static inline void wobble(int i)
{
    volatile int sink = 0;
    unsigned n = (unsigned)i * 2654435761u >> 24;
    for (unsigned k = 0; k < n; k++)
        sink = sink + (int)k;
    if (n % 16 == 3)
        yield_now();
}

static inline int finish(void)
{
    printf(failures ? "FAILED\n" : "passed\n");
    return failures != 0;
}

#endif
