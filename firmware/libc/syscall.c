/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall(), and the cache maintenance for code that a program writes. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/cachectl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpj_sched.h"

void mpj_clear_cache(void *first, void *end); /* has no prototype in mpj_clear_cache.h */

void mpj_clear_cache(void *first, void *end)
{
    if ((uintptr_t)first < (uintptr_t)end)
        mpj_mem_code_written((uintptr_t)first, (uintptr_t)end);
}

int cacheflush(void *first, int bytes, int cache)
{
    (void)cache;
    mpj_clear_cache(first, (char *)first + bytes);
    return 0;
}

long syscall(long number, ...)
{
    unsigned *core;
    void *first;
    va_list ap;
    long result = 0;

    va_start(ap, number);
    switch (number) {
    case SYS_gettid:
        result = gettid();
        break;
    case SYS_getcpu:
        core = va_arg(ap, unsigned *);
        if (core != NULL)
            *core = (unsigned)sched_getcpu();
        break;
    case __ARM_NR_cacheflush:
        first = va_arg(ap, void *);
        mpj_clear_cache(first, va_arg(ap, void *));
        break;
    default:
        errno = ENOSYS;
        result = -1;
        break;
    }
    va_end(ap);
    return result;
}
