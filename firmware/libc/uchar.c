/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Characters of 16 and 32 bits, which have the values of wchar_t. */
#include <uchar.h>
#include <wchar.h>

size_t mbrtoc32(char32_t *c, const char *bytes, size_t len, mbstate_t *state)
{
    wchar_t wide = 0;
    const size_t used = mbrtowc(&wide, bytes, len, state);

    if (c != NULL && bytes != NULL && used < (size_t)-2)
        *c = (char32_t)wide;
    return used;
}

size_t mbrtoc16(char16_t *c, const char *bytes, size_t len, mbstate_t *state)
{
    char32_t wide;
    const size_t used = mbrtoc32(&wide, bytes, len, state);

    if (c != NULL && bytes != NULL && used < (size_t)-2)
        *c = (char16_t)wide;
    return used;
}

size_t c32rtomb(char *bytes, char32_t c, mbstate_t *state)
{
    return wcrtomb(bytes, (wchar_t)c, state);
}

size_t c16rtomb(char *bytes, char16_t c, mbstate_t *state)
{
    return wcrtomb(bytes, c, state);
}
