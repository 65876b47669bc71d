/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounting of threads: none yet. */
#ifndef MPJ_PROF_THREAD_H
#define MPJ_PROF_THREAD_H

#include <stdint.h>

struct mpj_wait_info;
struct mpj_prof_thread {
    uint32_t id;
};

static inline void mpj_prof_thread_init(struct mpj_prof_thread *p, uint32_t id, uint32_t parent,
                                        const void *entry)
{
    (void)parent;
    (void)entry;
    p->id = id;
}
static inline void mpj_prof_switch(unsigned core, struct mpj_prof_thread *from,
                                   struct mpj_prof_thread *to)
{
    (void)core;
    (void)from;
    (void)to;
}
static inline void mpj_prof_wait_begin(struct mpj_prof_thread *p, const struct mpj_wait_info *info)
{
    (void)p;
    (void)info;
}
static inline void mpj_prof_wait_end(struct mpj_prof_thread *p, uint64_t now)
{
    (void)p;
    (void)now;
}
static inline void mpj_prof_thread_exit(struct mpj_prof_thread *p)
{
    (void)p;
}
static inline void mpj_prof_kernel_enter(unsigned core)
{
    (void)core;
}
static inline void mpj_prof_kernel_leave(unsigned core)
{
    (void)core;
}

#endif
