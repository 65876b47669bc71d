/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_WCHAR_T_H
#define MPJ_LIBC_BITS_WCHAR_T_H

#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif

#endif
