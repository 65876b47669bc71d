/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_ALLOCA_H
#define MPJ_LIBC_ALLOCA_H

#include <bits/size_t.h>
#include <features.h>

#undef alloca
#define alloca(size) __builtin_alloca(size)

#endif
