/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Integer types under the kernel's names. */
#ifndef MPJ_ASM_TYPES_H
#define MPJ_ASM_TYPES_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef signed short __s16;
typedef unsigned short __u16;
typedef signed int __s32;
typedef unsigned int __u32;
typedef signed long long __s64;
typedef unsigned long long __u64;

#endif
