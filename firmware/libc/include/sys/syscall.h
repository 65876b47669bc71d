/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for syscall(), for functions that the C library of Linux did not have. */
#ifndef MPJ_SYS_SYSCALL_H
#define MPJ_SYS_SYSCALL_H

#define SYS_gettid          224
#define SYS_getcpu          345
#define __NR_gettid         SYS_gettid
#define __NR_getcpu         SYS_getcpu
#define __ARM_NR_cacheflush 0x0f0002 /* first, end, 0: sys/cachectl.h */

#endif
