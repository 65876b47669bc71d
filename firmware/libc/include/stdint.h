/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of 32-bit Linux: the specs of `mpjoule cc` change the compiler's own types to these. */
#ifndef MPJ_LIBC_STDINT_H
#define MPJ_LIBC_STDINT_H

#include <features.h>
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

typedef __INT_LEAST8_TYPE__ int_least8_t;
typedef __INT_LEAST16_TYPE__ int_least16_t;
typedef __INT_LEAST32_TYPE__ int_least32_t;
typedef __INT_LEAST64_TYPE__ int_least64_t;
typedef __UINT_LEAST8_TYPE__ uint_least8_t;
typedef __UINT_LEAST16_TYPE__ uint_least16_t;
typedef __UINT_LEAST32_TYPE__ uint_least32_t;
typedef __UINT_LEAST64_TYPE__ uint_least64_t;

typedef __INT_FAST8_TYPE__ int_fast8_t;
typedef __INT_FAST16_TYPE__ int_fast16_t;
typedef __INT_FAST32_TYPE__ int_fast32_t;
typedef __INT_FAST64_TYPE__ int_fast64_t;
typedef __UINT_FAST8_TYPE__ uint_fast8_t;
typedef __UINT_FAST16_TYPE__ uint_fast16_t;
typedef __UINT_FAST32_TYPE__ uint_fast32_t;
typedef __UINT_FAST64_TYPE__ uint_fast64_t;

typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTMAX_TYPE__ intmax_t;
typedef __UINTMAX_TYPE__ uintmax_t;

#define INT8_MIN         (-INT8_MAX - 1)
#define INT8_MAX         0x7f
#define UINT8_MAX        0xff
#define INT_LEAST8_MIN   (-INT_LEAST8_MAX - 1)
#define INT_LEAST8_MAX   0x7f
#define UINT_LEAST8_MAX  0xff
#define INT_FAST8_MIN    (-INT_FAST8_MAX - 1)
#define INT_FAST8_MAX    0x7f
#define UINT_FAST8_MAX   0xff
#define INT16_MIN        (-INT16_MAX - 1)
#define INT16_MAX        0x7fff
#define UINT16_MAX       0xffff
#define INT_LEAST16_MIN  (-INT_LEAST16_MAX - 1)
#define INT_LEAST16_MAX  0x7fff
#define UINT_LEAST16_MAX 0xffff
#define INT_FAST16_MIN   (-INT_FAST16_MAX - 1)
#define INT_FAST16_MAX   0x7fffffff
#define UINT_FAST16_MAX  0xffffffffU
#define INT32_MIN        (-INT32_MAX - 1)
#define INT32_MAX        0x7fffffff
#define UINT32_MAX       0xffffffffU
#define INT_LEAST32_MIN  (-INT_LEAST32_MAX - 1)
#define INT_LEAST32_MAX  0x7fffffff
#define UINT_LEAST32_MAX 0xffffffffU
#define INT_FAST32_MIN   (-INT_FAST32_MAX - 1)
#define INT_FAST32_MAX   0x7fffffff
#define UINT_FAST32_MAX  0xffffffffU
#define INT64_MIN        (-INT64_MAX - 1)
#define INT64_MAX        0x7fffffffffffffffLL
#define UINT64_MAX       0xffffffffffffffffULL
#define INT_LEAST64_MIN  (-INT_LEAST64_MAX - 1)
#define INT_LEAST64_MAX  0x7fffffffffffffffLL
#define UINT_LEAST64_MAX 0xffffffffffffffffULL
#define INT_FAST64_MIN   (-INT_FAST64_MAX - 1)
#define INT_FAST64_MAX   0x7fffffffffffffffLL
#define UINT_FAST64_MAX  0xffffffffffffffffULL
#define INTPTR_MIN       (-INTPTR_MAX - 1)
#define INTPTR_MAX       0x7fffffff
#define UINTPTR_MAX      0xffffffffU
#define INTMAX_MIN       (-INTMAX_MAX - 1)
#define INTMAX_MAX       0x7fffffffffffffffLL
#define UINTMAX_MAX      0xffffffffffffffffULL
#define PTRDIFF_MIN      (-PTRDIFF_MAX - 1)
#define PTRDIFF_MAX      0x7fffffff
#define SIG_ATOMIC_MIN   (-SIG_ATOMIC_MAX - 1)
#define SIG_ATOMIC_MAX   0x7fffffff
#define SIZE_MAX         0xffffffffU
#ifndef WCHAR_MIN
#define WCHAR_MIN __WCHAR_MIN__
#define WCHAR_MAX __WCHAR_MAX__
#endif
#define WINT_MIN     0U
#define WINT_MAX     0xffffffffU
#define INT8_C(c)    c
#define INT16_C(c)   c
#define INT32_C(c)   c
#define INT64_C(c)   c##LL
#define UINT8_C(c)   c
#define UINT16_C(c)  c
#define UINT32_C(c)  c##U
#define UINT64_C(c)  c##ULL
#define INTMAX_C(c)  c##LL
#define UINTMAX_C(c) c##ULL

#endif
