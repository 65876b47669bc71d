/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connects the kernel's hooks to the layers that implement them. */
#include "mpj_hooks.h"

#include "mpj_host.h"
#include "mpj_prof_thread.h"
#include "mpj_target_run.h"

__attribute__((aligned(32))) const struct mpj_hooks mpj_hooks = {
    .kernel_enter = mpj_prof_kernel_enter,
    .kernel_leave = mpj_prof_kernel_leave,
    .switch_to = mpj_prof_switch,
    .wait_begin = mpj_prof_wait_begin,
    .wait_end = mpj_prof_wait_end,
    .spin = mpj_prof_spin,
    .settle = mpj_prof_settle,
    .resume = mpj_prof_resume,
    .stay = mpj_prof_stay,
    .more = mpj_prof_more,
    .thread_init = mpj_prof_thread_init,
    .thread_exit = mpj_prof_thread_exit,
    .thread_name = mpj_prof_thread_name,
    .stack_used = mpj_prof_stack_used,
    .wfi = mpj_prof_wfi,
    .region_begin = mpj_prof_region_begin,
    .region_end = mpj_prof_region_end,
    .host_listens = mpj_host_listens,
    .fault = mpj_host_fault,
    .error = mpj_host_error,
    .run_end = mpj_run_end,
};
