/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel without the layers above it. */
#include "mpj_hooks.h"

#include <stddef.h>

#include "hal_cpu.h"
#include "mpj_fault.h"

static void thread_init(struct mpj_hook_thread *p, uint32_t id, uint32_t parent, const void *entry)
{
    (void)parent;
    (void)entry;
    *p = (struct mpj_hook_thread){.id = id};
}

static void thread_exit(struct mpj_hook_thread *p)
{
    (void)p;
}

static void thread_name(struct mpj_hook_thread *p, const char *name)
{
    (void)p;
    (void)name;
}

static void stack_used(struct mpj_prof_rec *rec, uint32_t bytes, uint32_t used)
{
    (void)rec;
    (void)bytes;
    (void)used;
}

static void switch_to(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to)
{
    (void)core;
    (void)from;
    hal_cpu_set_context(to != NULL ? to->id : 0U);
}

static void wait_begin(struct mpj_hook_thread *p, const struct mpj_wait_info *info)
{
    (void)p;
    (void)info;
}

static void wait_end(struct mpj_hook_thread *p)
{
    (void)p;
}

static void stay(unsigned core, struct mpj_hook_thread *p)
{
    (void)core;
    p->settles = false;
}

static void spin(unsigned core, struct mpj_hook_thread *p, const struct mpj_wait_info *info,
                 uint32_t since)
{
    (void)core;
    (void)p;
    (void)info;
    (void)since;
}

static void settle(unsigned core, struct mpj_hook_thread *p)
{
    (void)core;
    p->settles = false;
}

static void more(unsigned core)
{
    (void)core;
}

static void resume(unsigned core, struct mpj_hook_thread *p)
{
    (void)core;
    (void)p;
}

static void kernel_enter(unsigned core)
{
    (void)core;
}

static void kernel_leave(unsigned core)
{
    (void)core;
}

static void wfi(void)
{
    hal_wfi();
}

static void region_begin(const void *region, uint32_t team, unsigned num, unsigned size)
{
    (void)region;
    (void)team;
    (void)num;
    (void)size;
}

static void region_end(const void *region, uint32_t team, unsigned num, const void *caller)
{
    (void)region;
    (void)team;
    (void)num;
    (void)caller;
}

static bool host_listens(void)
{
    return false;
}

static _Noreturn void fault(const struct mpj_fault *f)
{
    (void)f;
    mpj_reset();
}

static _Noreturn void fatal_error(const struct mpj_error_rec *e)
{
    (void)e;
    mpj_reset();
}

static void run_end(void)
{
}

__attribute__((weak)) const struct mpj_hooks mpj_hooks = {
    .kernel_enter = kernel_enter,
    .kernel_leave = kernel_leave,
    .switch_to = switch_to,
    .wait_begin = wait_begin,
    .wait_end = wait_end,
    .spin = spin,
    .settle = settle,
    .resume = resume,
    .stay = stay,
    .more = more,
    .thread_init = thread_init,
    .thread_exit = thread_exit,
    .thread_name = thread_name,
    .stack_used = stack_used,
    .wfi = wfi,
    .region_begin = region_begin,
    .region_end = region_end,
    .host_listens = host_listens,
    .fault = fault,
    .error = fatal_error,
    .run_end = run_end,
};
