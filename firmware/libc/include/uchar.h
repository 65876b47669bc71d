/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Characters of 16 and 32 bits (C11, 7.28). In the only locale a character is a byte: characters
 * above 255 have no multibyte form, nor have surrogate pairs. */
#ifndef MPJ_LIBC_UCHAR_H
#define MPJ_LIBC_UCHAR_H

#include <bits/mbstate.h>
#include <bits/size_t.h>
#include <features.h>

#ifndef __cplusplus
typedef __CHAR16_TYPE__ char16_t;
/* The type of U"" literals: the compiler's, unsigned long, where Linux has unsigned int. */
typedef __CHAR32_TYPE__ char32_t;
#endif

__MPJ_BEGIN

size_t mbrtoc16(char16_t *__restrict, const char *__restrict, size_t, mbstate_t *__restrict);
size_t c16rtomb(char *__restrict, char16_t, mbstate_t *__restrict);
size_t mbrtoc32(char32_t *__restrict, const char *__restrict, size_t, mbstate_t *__restrict);
size_t c32rtomb(char *__restrict, char32_t, mbstate_t *__restrict);

__MPJ_END

#endif
