/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the program's name as in the GNU C library. */
#ifndef MPJ_ERRNO_H_LIBC
#define MPJ_ERRNO_H_LIBC

#include_next <errno.h>

#if __GNU_VISIBLE
#ifdef __cplusplus
extern "C" {
#endif

/* Both what argv[0] is behind its last slash. */
extern char *program_invocation_name, *program_invocation_short_name;

#ifdef __cplusplus
}
#endif
#endif

#endif
