/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the names that headers declare: the rules of feature_test_macros(7), as in the GNU C
 * library. A program requests them by _POSIX_C_SOURCE, _XOPEN_SOURCE, _DEFAULT_SOURCE or
 * _GNU_SOURCE; headers test the __USE_ names that follow from that.
 */
#ifndef MPJ_FEATURES_H
#define MPJ_FEATURES_H

/* ---- requests of the program ---- */

#ifdef _GNU_SOURCE
#undef _ISOC95_SOURCE
#define _ISOC95_SOURCE 1
#undef _ISOC99_SOURCE
#define _ISOC99_SOURCE 1
#undef _ISOC11_SOURCE
#define _ISOC11_SOURCE 1
#undef _ISOC2X_SOURCE
#define _ISOC2X_SOURCE 1
#undef _POSIX_SOURCE
#define _POSIX_SOURCE 1
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#undef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#undef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#undef _LARGEFILE64_SOURCE
#define _LARGEFILE64_SOURCE 1
#undef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#undef _ATFILE_SOURCE
#define _ATFILE_SOURCE 1
#undef _DYNAMIC_STACK_SIZE_SOURCE
#define _DYNAMIC_STACK_SIZE_SOURCE 1
#endif

/* Names of BSD and System V that predate _DEFAULT_SOURCE. */
#if (defined(_BSD_SOURCE) || defined(_SVID_SOURCE)) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif

/* The program requests nothing, not even by -std=c11. */
#if defined(_DEFAULT_SOURCE) ||                                                                    \
    (!defined(__STRICT_ANSI__) && !defined(_ISOC99_SOURCE) && !defined(_ISOC11_SOURCE) &&          \
     !defined(_ISOC2X_SOURCE) && !defined(_POSIX_SOURCE) && !defined(_POSIX_C_SOURCE) &&           \
     !defined(_XOPEN_SOURCE))
#undef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif

#if defined(_DEFAULT_SOURCE) && !defined(_POSIX_SOURCE) && !defined(_POSIX_C_SOURCE)
#define __USE_POSIX_IMPLICITLY 1
#endif
#ifdef _DEFAULT_SOURCE
#undef _POSIX_SOURCE
#define _POSIX_SOURCE 1
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#if (!defined(__STRICT_ANSI__) || (defined(_XOPEN_SOURCE) && _XOPEN_SOURCE - 0 >= 500)) &&         \
    !defined(_POSIX_SOURCE) && !defined(_POSIX_C_SOURCE)
#define _POSIX_SOURCE 1
#if defined(_XOPEN_SOURCE) && _XOPEN_SOURCE - 0 < 500
#define _POSIX_C_SOURCE 2
#elif defined(_XOPEN_SOURCE) && _XOPEN_SOURCE - 0 < 600
#define _POSIX_C_SOURCE 199506L
#elif defined(_XOPEN_SOURCE) && _XOPEN_SOURCE - 0 < 700
#define _POSIX_C_SOURCE 200112L
#else
#define _POSIX_C_SOURCE 200809L
#endif
#define __USE_POSIX_IMPLICITLY 1
#endif

/* -pthread */
#if (defined(_REENTRANT) || defined(_THREAD_SAFE)) &&                                              \
    (!defined(_POSIX_C_SOURCE) || _POSIX_C_SOURCE - 0 < 199506L)
#undef _POSIX_SOURCE
#define _POSIX_SOURCE 1
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 199506L
#endif

/* ---- consequences for headers ---- */

#if defined(_ISOC11_SOURCE) || defined(_ISOC2X_SOURCE) ||                                          \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
#define __USE_ISOC11 1
#endif
#if defined(_ISOC2X_SOURCE) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define __USE_ISOC2X 1
#endif
#if defined(_ISOC99_SOURCE) || defined(__USE_ISOC11) ||                                            \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define __USE_ISOC99 1
#endif
#if defined(_ISOC95_SOURCE) || defined(__USE_ISOC99) ||                                            \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199409L)
#define __USE_ISOC95 1
#endif

#if defined(_POSIX_SOURCE) || (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 1) ||            \
    defined(_XOPEN_SOURCE)
#define __USE_POSIX 1
#endif
#if (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 2) || defined(_XOPEN_SOURCE)
#define __USE_POSIX2 1
#endif
#if defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 199309L
#define __USE_POSIX199309 1
#endif
#if defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 199506L
#define __USE_POSIX199506 1
#endif
#if (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 200112L) ||                                \
    (defined(_XOPEN_SOURCE) && _XOPEN_SOURCE - 0 >= 600)
#define __USE_XOPEN2K 1
#undef __USE_ISOC95
#define __USE_ISOC95 1
#undef __USE_ISOC99
#define __USE_ISOC99 1
#endif
#if (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 200809L) ||                                \
    (defined(_XOPEN_SOURCE) && _XOPEN_SOURCE - 0 >= 700)
#define __USE_XOPEN2K8 1
#endif
#if defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE - 0 >= 200809L && !defined(_ATFILE_SOURCE)
#define _ATFILE_SOURCE 1
#endif

#ifdef _XOPEN_SOURCE
#define __USE_XOPEN 1
#if _XOPEN_SOURCE - 0 >= 500
#define __USE_XOPEN_EXTENDED 1
#define __USE_UNIX98         1
#undef _LARGEFILE_SOURCE
#define _LARGEFILE_SOURCE 1
#elif defined(_XOPEN_SOURCE_EXTENDED)
#define __USE_XOPEN_EXTENDED 1
#endif
#if _XOPEN_SOURCE - 0 >= 600
#define __USE_XOPEN2KXSI 1
#endif
#if _XOPEN_SOURCE - 0 >= 700
#define __USE_XOPEN2K8XSI 1
#endif
#endif

#ifdef _LARGEFILE_SOURCE
#define __USE_LARGEFILE 1
#endif
#ifdef _LARGEFILE64_SOURCE
#define __USE_LARGEFILE64 1
#endif
#ifdef _DEFAULT_SOURCE
#define __USE_MISC 1
#endif
#ifdef _ATFILE_SOURCE
#define __USE_ATFILE 1
#endif
#ifdef _DYNAMIC_STACK_SIZE_SOURCE
#define __USE_DYNAMIC_STACK_SIZE 1
#endif
#ifdef _GNU_SOURCE
#define __USE_GNU 1
#endif

/* ---- how headers declare ---- */

#ifdef __cplusplus
#define __MPJ_BEGIN extern "C" {
#define __MPJ_END   }
#else
#define __MPJ_BEGIN
#define __MPJ_END
#endif

#include <gnu/stubs.h>

#endif
