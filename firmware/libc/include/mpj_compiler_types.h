/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before every source, of programs (mpjoule.specs) and of the runtime: makes the
 * compiler's own types those of 32-bit Linux, of the same sizes: int32_t is int there, not long.
 * The exception is char32_t, unsigned long, of which the compiler makes U"" literals.
 */
#ifndef MPJ_COMPILER_TYPES_H
#define MPJ_COMPILER_TYPES_H

#pragma GCC system_header

#undef __INT32_TYPE__
#define __INT32_TYPE__ int
#undef __INT32_MAX__
#define __INT32_MAX__ 0x7fffffff
#undef __INT32_C
#define __INT32_C(c) c
#undef __UINT32_TYPE__
#define __UINT32_TYPE__ unsigned int
#undef __UINT32_MAX__
#define __UINT32_MAX__ 0xffffffffU
#undef __UINT32_C
#define __UINT32_C(c) c##U
#undef __INT_LEAST32_TYPE__
#define __INT_LEAST32_TYPE__ int
#undef __INT_LEAST32_MAX__
#define __INT_LEAST32_MAX__ 0x7fffffff
#undef __UINT_LEAST32_TYPE__
#define __UINT_LEAST32_TYPE__ unsigned int
#undef __UINT_LEAST32_MAX__
#define __UINT_LEAST32_MAX__ 0xffffffffU
#undef __INT_FAST8_TYPE__
#define __INT_FAST8_TYPE__ signed char
#undef __INT_FAST8_MAX__
#define __INT_FAST8_MAX__ 0x7f
#undef __INT_FAST8_WIDTH__
#define __INT_FAST8_WIDTH__ 8
#undef __UINT_FAST8_TYPE__
#define __UINT_FAST8_TYPE__ unsigned char
#undef __UINT_FAST8_MAX__
#define __UINT_FAST8_MAX__ 0xff

#endif
