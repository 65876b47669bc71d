/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers of a configure script for gnulib's files (README.md of libc/): this target, with the
 * GNU C library's interfaces in the headers of libc/include. */
#ifndef MPJ_GNULIB_CONFIG_H
#define MPJ_GNULIB_CONFIG_H

#include <stdbool.h>

#define _REGEX_INCLUDE_LIMITS_H     1
#define GNULIB_PTHREAD              1 /* regexec() by several threads; the lock: regex.c */
#define GNULIB_defined_tsearch      1
#define GNULIB_defined_twalk        1
#define HAVE_DECL_ISBLANK           1
#define HAVE_GETPWNAM_R             1
#define HAVE_ISBLANK                1
#define HAVE_STRUCT_DIRENT_D_TYPE   1
#define __getopt_argv_const         const
#define FLEXIBLE_ARRAY_MEMBER       /* [] */
#define _GL_UNUSED                  __attribute__((__unused__))
#define _GL_ATTRIBUTE_MAYBE_UNUSED  __attribute__((__unused__))
#define _GL_ATTRIBUTE_FALLTHROUGH   __attribute__((__fallthrough__))
#define _GL_ATTRIBUTE_ALWAYS_INLINE __attribute__((__always_inline__))

#endif
