/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel without the layers above it. */
#include "mpj_hooks.h"

#include <stddef.h>

#include "hal_cpu.h"
#include "mpj_fault.h"

#define WEAK __attribute__((weak))

WEAK void mpj_hook_thread_init(struct mpj_hook_thread *p, uint32_t id, uint32_t parent,
                               const void *entry)
{
    (void)parent;
    (void)entry;
    *p = (struct mpj_hook_thread){.id = id};
}

WEAK void mpj_hook_thread_exit(struct mpj_hook_thread *p)
{
    (void)p;
}

WEAK void mpj_hook_thread_name(struct mpj_hook_thread *p, const char *name)
{
    (void)p;
    (void)name;
}

WEAK void mpj_hook_switch(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to)
{
    (void)core;
    (void)from;
    hal_cpu_set_context(to != NULL ? to->id : 0U);
}

WEAK void mpj_hook_wait_begin(struct mpj_hook_thread *p, const struct mpj_wait_info *info)
{
    (void)p;
    (void)info;
}

WEAK void mpj_hook_wait_end(struct mpj_hook_thread *p)
{
    (void)p;
}

WEAK void mpj_hook_stay(unsigned core, struct mpj_hook_thread *p)
{
    (void)core;
    p->settles = false;
}

WEAK void mpj_hook_spin(unsigned core, struct mpj_hook_thread *p, const struct mpj_wait_info *info,
                        uint32_t since)
{
    (void)core;
    (void)p;
    (void)info;
    (void)since;
}

WEAK void mpj_hook_settle(unsigned core, struct mpj_hook_thread *p)
{
    (void)core;
    p->settles = false;
}

WEAK void mpj_hook_more(unsigned core)
{
    (void)core;
}

WEAK void mpj_hook_resume(unsigned core, struct mpj_hook_thread *p)
{
    (void)core;
    (void)p;
}

WEAK void mpj_hook_kernel_enter(unsigned core)
{
    (void)core;
}

WEAK void mpj_hook_kernel_leave(unsigned core)
{
    (void)core;
}

WEAK void mpj_hook_wfi(void)
{
    hal_wfi();
}

WEAK void mpj_hook_region_begin(const void *region, uint32_t team, unsigned num, unsigned size)
{
    (void)region;
    (void)team;
    (void)num;
    (void)size;
}

WEAK void mpj_hook_region_end(const void *region, uint32_t team, unsigned num, const void *caller)
{
    (void)region;
    (void)team;
    (void)num;
    (void)caller;
}

WEAK bool mpj_hook_host_listens(void)
{
    return false;
}

WEAK _Noreturn void mpj_hook_fault(const struct mpj_fault *f)
{
    (void)f;
    mpj_reset();
}

WEAK _Noreturn void mpj_hook_error(const struct mpj_error_rec *e)
{
    (void)e;
    mpj_reset();
}

WEAK void mpj_hook_run_end(void)
{
}
