/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_SCHED_PARAM_H
#define MPJ_LIBC_BITS_SCHED_PARAM_H

struct sched_param {
    int sched_priority;
};

#endif
