/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_STACK_T_H
#define MPJ_LIBC_BITS_STACK_T_H

#include <bits/size_t.h>

typedef struct {
    void *ss_sp;
    int ss_flags;
    size_t ss_size;
} stack_t;

#endif
