/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Characters of 16 and 32 bits (C11, 7.28). In the one locale a character is a byte: those above
 * 255 have no bytes, nor have pairs of surrogates. */
#ifndef MPJ_UCHAR_H
#define MPJ_UCHAR_H

#include <stddef.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#else
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
#endif

/* The next character of len bytes: 1, 0 for the byte 0, (size_t)-2 for no bytes. */
size_t mbrtoc16(char16_t *c, const char *bytes, size_t len, mbstate_t *state);
size_t mbrtoc32(char32_t *c, const char *bytes, size_t len, mbstate_t *state);
/* Bytes of a character, at most MB_CUR_MAX: their number, or (size_t)-1 and EILSEQ. */
size_t c16rtomb(char *bytes, char16_t c, mbstate_t *state);
size_t c32rtomb(char *bytes, char32_t c, mbstate_t *state);

#ifdef __cplusplus
}
#endif
#endif
