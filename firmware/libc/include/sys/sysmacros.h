/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of devices: eight bits of each part. */
#ifndef MPJ_SYS_SYSMACROS_H
#define MPJ_SYS_SYSMACROS_H

#include <sys/types.h>

#define major(device)          ((unsigned)((device) >> 8) & 0xffU)
#define minor(device)          ((unsigned)(device)&0xffU)
#define makedev(first, second) ((dev_t)(((first)&0xffU) << 8 | ((second)&0xffU)))

#endif
