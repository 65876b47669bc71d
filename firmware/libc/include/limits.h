/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_LIMITS_H
#define MPJ_LIBC_LIMITS_H

#include <features.h>
#define CHAR_BIT  8
#define SCHAR_MIN (-SCHAR_MAX - 1)
#define SCHAR_MAX 0x7f
#define UCHAR_MAX 0xff
#ifdef __CHAR_UNSIGNED__
#define CHAR_MIN 0
#define CHAR_MAX UCHAR_MAX
#else
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#endif
#define MB_LEN_MAX 16
#define SHRT_MIN   (-SHRT_MAX - 1)
#define SHRT_MAX   0x7fff
#define USHRT_MAX  0xffff
#define INT_MIN    (-INT_MAX - 1)
#define INT_MAX    0x7fffffff
#define UINT_MAX   0xffffffffU
#define LONG_MIN   (-LONG_MAX - 1L)
#define LONG_MAX   0x7fffffffL
#define ULONG_MAX  0xffffffffUL
#ifdef __USE_ISOC99
#define LLONG_MIN  (-LLONG_MAX - 1LL)
#define LLONG_MAX  0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffULL
#endif
#ifdef __USE_GNU
#define LONG_LONG_MIN  LLONG_MIN
#define LONG_LONG_MAX  LLONG_MAX
#define ULONG_LONG_MAX ULLONG_MAX
#endif

#include <bits/posix_limits.h>

#ifdef __USE_POSIX2
#define LINE_MAX           2048
#define RE_DUP_MAX         0x7fff
#define BC_BASE_MAX        99
#define BC_DIM_MAX         2048
#define BC_SCALE_MAX       99
#define BC_STRING_MAX      1000
#define COLL_WEIGHTS_MAX   255
#define EXPR_NEST_MAX      32
#define CHARCLASS_NAME_MAX 2048
#if defined(__USE_GNU) || !defined(__USE_XOPEN2K)
#define _POSIX_UIO_MAXIOV 16
#endif
#if defined(__USE_POSIX2)
#define _POSIX2_COLL_WEIGHTS_MAX   2
#define _POSIX2_CHARCLASS_NAME_MAX 14
#define _POSIX2_EXPR_NEST_MAX      32
#define _POSIX2_BC_SCALE_MAX       99
#define _POSIX2_BC_BASE_MAX        99
#define _POSIX2_RE_DUP_MAX         255
#define _POSIX2_BC_STRING_MAX      1000
#define _POSIX2_BC_DIM_MAX         2048
#define _POSIX2_LINE_MAX           2048
#endif
#endif

#ifdef __USE_XOPEN
#define IOV_MAX    1024
#define NL_ARGMAX  4096
#define NL_LANGMAX 2048
#define NL_MSGMAX  INT_MAX
#if defined(__USE_GNU) || !defined(__USE_XOPEN2K8)
#define NL_NMAX INT_MAX
#endif
#define NL_SETMAX      INT_MAX
#define NL_TEXTMAX     INT_MAX
#define NZERO          20
#define WORD_BIT       32
#define LONG_BIT       32
#define _XOPEN_IOV_MAX 16
#endif

#endif
