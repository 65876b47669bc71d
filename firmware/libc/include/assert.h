/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Without an include guard: each inclusion defines assert() again, according to NDEBUG. */
#include <features.h>

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : __assert_func(__FILE__, __LINE__, __func__, #condition))
#endif

#ifndef MPJ_ASSERT_H
#define MPJ_ASSERT_H

__MPJ_BEGIN

/* newlib's: prints the place and calls abort(). */
void __assert_func(const char *, int, const char *, const char *) __attribute__((__noreturn__));

__MPJ_END

#if defined(__USE_ISOC11) && !defined(__cplusplus)
#define static_assert _Static_assert
#endif

#endif
