/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_PARAM_H
#define MPJ_LIBC_SYS_PARAM_H

#include <bits/null.h>
#include <endian.h>
#include <features.h>
#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#define HZ             100
#define NBBY           CHAR_BIT
#define NGROUPS        NGROUPS_MAX
#define NCARGS         131072
#define NOGROUP        65535
#define NODEV          ((dev_t)-1)
#define MAXSYMLINKS    20
#define MAXHOSTNAMELEN 64
#define MAXPATHLEN     PATH_MAX
#define DEV_BSIZE      512
#define EXEC_PAGESIZE  4096
#define CANBSIZ        MAX_CANON

#define setbit(a, i)   ((a)[(i) / NBBY] |= 1 << ((i) % NBBY))
#define clrbit(a, i)   ((a)[(i) / NBBY] &= ~(1 << ((i) % NBBY)))
#define isset(a, i)    ((a)[(i) / NBBY] & (1 << ((i) % NBBY)))
#define isclr(a, i)    (((a)[(i) / NBBY] & (1 << ((i) % NBBY))) == 0)

#define howmany(x, y)  (((x) + ((y)-1)) / (y))
#define roundup(x, y)  ((((x) + ((y)-1)) / (y)) * (y))
#define powerof2(x)    ((((x)-1) & (x)) == 0)
#define MIN(a, b)      ((a) < (b) ? (a) : (b))
#define MAX(a, b)      ((a) > (b) ? (a) : (b))

#endif
