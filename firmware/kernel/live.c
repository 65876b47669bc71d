/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core.h"
#include "mpj_sched.h"

unsigned mpj_thread_live_locked(void)
{
    return mpj_sched.live;
}
