/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_FILE_H
#define MPJ_LIBC_SYS_FILE_H

#include <fcntl.h>
#include <features.h>

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#ifndef L_SET
#define L_SET  0
#define L_INCR 1
#define L_XTND 2
#endif

__MPJ_BEGIN

int flock(int, int);

__MPJ_END

#endif
