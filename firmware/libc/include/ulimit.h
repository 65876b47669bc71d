/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of file sizes, which is that of off_t. */
#ifndef MPJ_ULIMIT_H
#define MPJ_ULIMIT_H

enum { UL_GETFSIZE = 1, UL_SETFSIZE };
#define UL_GETFSIZE UL_GETFSIZE
#define UL_SETFSIZE UL_SETFSIZE

#ifdef __cplusplus
extern "C" {
#endif

/* Returns blocks of 512 bytes; UL_SETFSIZE is EPERM. */
long ulimit(int command, ...);

#ifdef __cplusplus
}
#endif

#endif
