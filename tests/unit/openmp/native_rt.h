/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpj_rt.h over Linux futexes, and what tests want to know about its use. */
#ifndef NATIVE_RT_H
#define NATIVE_RT_H

#include "mpj_rt.h"

#define NATIVE_KINDS 16

struct native_stats {
    unsigned long waits[NATIVE_KINDS]; /* times a thread slept, by kind */
    unsigned long wakes;
    unsigned long begins, ends; /* region hooks, all threads */
    unsigned long bad;          /* hooks or wait infos that make no sense */
    const void *last_region;
    const void *last_caller[NATIVE_KINDS];
    unsigned last_size;
};
extern struct native_stats native_stats;

/* Every n-th call of the runtime into this layer yields at random; 0: never. */
void native_shake(unsigned n);

#endif
