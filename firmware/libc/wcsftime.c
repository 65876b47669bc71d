/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strftime() for wide characters. */
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

/* Formats as strftime(): in the only locale a character is a byte. */
size_t wcsftime(wchar_t *restrict out, size_t max, const wchar_t *restrict format,
                const struct tm *restrict tm)
{
    const size_t length = wcslen(format);
    char *const narrow = malloc(length + 1U + max);
    char *const text = narrow + length + 1U;
    size_t n = 0;

    if (narrow == NULL)
        return 0;
    for (size_t i = 0; i <= length; i++)
        narrow[i] = (char)format[i];
    n = strftime(text, max, narrow, tm);
    for (size_t i = 0; i < max && i <= n; i++)
        out[i] = (unsigned char)text[i];
    free(narrow);
    return n;
}

size_t wcsftime_l(wchar_t *restrict out, size_t max, const wchar_t *restrict format,
                  const struct tm *restrict tm, locale_t locale)
{
    (void)locale;
    return wcsftime(out, max, format, tm);
}
