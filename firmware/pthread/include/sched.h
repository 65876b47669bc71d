/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SCHED_H
#define MPJ_LIBC_SCHED_H

#include <bits/null.h>
#include <bits/sched_param.h>
#include <bits/size_t.h>
#include <bits/timespec.h>
#include <features.h>
#ifndef __USE_XOPEN2K
#include <time.h>
#endif

typedef int pid_t;

#define SCHED_OTHER 0
#define SCHED_FIFO  1
#define SCHED_RR    2

#ifdef __USE_GNU
#define SCHED_BATCH         3
#define SCHED_ISO           4
#define SCHED_IDLE          5
#define SCHED_DEADLINE      6
#define SCHED_RESET_ON_FORK 0x40000000

/* Processor sets, of the size they have on Linux. */
#define CPU_SETSIZE 1024

typedef struct {
    unsigned long __bits[CPU_SETSIZE / 32];
} cpu_set_t;

#define __MPJ_CPU_IN(cpu, size)  ((unsigned)(cpu) / 8U < (unsigned)(size))
#define __MPJ_CPU_WORD(cpu, set) ((set)->__bits[(unsigned)(cpu) / 32U])
#define __MPJ_CPU_MASK(cpu)      (1UL << ((unsigned)(cpu) % 32U))
#define __MPJ_CPU_OP(size, to, a, b, op)                                                           \
    __extension__({                                                                                \
        for (unsigned __i = 0; __i < (unsigned)(size) / sizeof(long); __i++)                       \
            (to)->__bits[__i] = (a)->__bits[__i] op(b)->__bits[__i];                               \
    })

#define CPU_ZERO_S(size, set) ((void)__builtin_memset((set), 0, (size)))
#define CPU_SET_S(cpu, size, set)                                                                  \
    ((void)(__MPJ_CPU_IN(cpu, size) ? __MPJ_CPU_WORD(cpu, set) |= __MPJ_CPU_MASK(cpu) : 0UL))
#define CPU_CLR_S(cpu, size, set)                                                                  \
    ((void)(__MPJ_CPU_IN(cpu, size) ? __MPJ_CPU_WORD(cpu, set) &= ~__MPJ_CPU_MASK(cpu) : 0UL))
#define CPU_ISSET_S(cpu, size, set)                                                                \
    (__MPJ_CPU_IN(cpu, size) ? (__MPJ_CPU_WORD(cpu, set) & __MPJ_CPU_MASK(cpu)) != 0 : 0)
#define CPU_COUNT_S(size, set)                                                                     \
    __extension__({                                                                                \
        int __n = 0;                                                                               \
        for (unsigned __i = 0; __i < (unsigned)(size) / sizeof(long); __i++)                       \
            __n += __builtin_popcountl((set)->__bits[__i]);                                        \
        __n;                                                                                       \
    })
#define CPU_EQUAL_S(size, a, b)   (__builtin_memcmp((a), (b), (size)) == 0)
#define CPU_AND_S(size, to, a, b) __MPJ_CPU_OP(size, to, a, b, &)
#define CPU_OR_S(size, to, a, b)  __MPJ_CPU_OP(size, to, a, b, |)
#define CPU_XOR_S(size, to, a, b) __MPJ_CPU_OP(size, to, a, b, ^)

#define CPU_ZERO(set)             CPU_ZERO_S(sizeof(cpu_set_t), set)
#define CPU_SET(cpu, set)         CPU_SET_S(cpu, sizeof(cpu_set_t), set)
#define CPU_CLR(cpu, set)         CPU_CLR_S(cpu, sizeof(cpu_set_t), set)
#define CPU_ISSET(cpu, set)       CPU_ISSET_S(cpu, sizeof(cpu_set_t), set)
#define CPU_COUNT(set)            CPU_COUNT_S(sizeof(cpu_set_t), set)
#define CPU_EQUAL(a, b)           CPU_EQUAL_S(sizeof(cpu_set_t), a, b)
#define CPU_AND(to, a, b)         CPU_AND_S(sizeof(cpu_set_t), to, a, b)
#define CPU_OR(to, a, b)          CPU_OR_S(sizeof(cpu_set_t), to, a, b)
#define CPU_XOR(to, a, b)         CPU_XOR_S(sizeof(cpu_set_t), to, a, b)

#define CPU_ALLOC_SIZE(count)     ((((size_t)(count) + 31U) / 32U) * sizeof(long))
#define CPU_ALLOC(count)          ((cpu_set_t *)__builtin_malloc(CPU_ALLOC_SIZE(count)))
#define CPU_FREE(set)             __builtin_free(set)
#endif

__MPJ_BEGIN

int sched_setparam(pid_t, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_getscheduler(pid_t);
int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_rr_get_interval(pid_t, struct timespec *);
#if defined(__USE_GNU)
int sched_getcpu(void);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
#endif

__MPJ_END

#endif
