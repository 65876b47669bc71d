/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C library's sched.h, and processor sets as GNU/Linux programs use them. */
#ifndef MPJ_SCHED_PUBLIC_H
#define MPJ_SCHED_PUBLIC_H

#include_next <sched.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CPU_SETSIZE 32

typedef struct {
    unsigned int __bits;
} cpu_set_t;

#define CPU_ZERO(set)               ((void)((set)->__bits = 0U))
#define CPU_SET(cpu, set)           ((void)((set)->__bits |= __cpu_bit(cpu)))
#define CPU_CLR(cpu, set)           ((void)((set)->__bits &= ~__cpu_bit(cpu)))
#define CPU_ISSET(cpu, set)         (((set)->__bits & __cpu_bit(cpu)) != 0U)
#define CPU_COUNT(set)              __builtin_popcount((set)->__bits)
#define CPU_EQUAL(a, b)             ((a)->__bits == (b)->__bits)
#define CPU_AND(to, a, b)           ((void)((to)->__bits = (a)->__bits & (b)->__bits))
#define CPU_OR(to, a, b)            ((void)((to)->__bits = (a)->__bits | (b)->__bits))
#define CPU_XOR(to, a, b)           ((void)((to)->__bits = (a)->__bits ^ (b)->__bits))
#define CPU_ZERO_S(size, set)       CPU_ZERO(set)
#define CPU_SET_S(cpu, size, set)   CPU_SET(cpu, set)
#define CPU_CLR_S(cpu, size, set)   CPU_CLR(cpu, set)
#define CPU_ISSET_S(cpu, size, set) CPU_ISSET(cpu, set)
#define CPU_COUNT_S(size, set)      CPU_COUNT(set)
#define CPU_ALLOC_SIZE(count)       sizeof(cpu_set_t)

static __inline__ unsigned int __cpu_bit(unsigned int cpu)
{
    return cpu < CPU_SETSIZE ? 1U << cpu : 0U;
}

/* Core the caller runs on at the moment. */
int sched_getcpu(void);
/* Cores a thread may run on; pid 0: the calling thread, other values are ESRCH. 0, or -1 with
 * errno. EINVAL: none of the cores takes part in the run. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

#ifdef __cplusplus
}
#endif
#endif
